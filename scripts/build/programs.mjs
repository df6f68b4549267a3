// The programs that are not JavaScript stand beside the module that starts them, and are shipped beside it.
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const BUNDLES = ['packages/cli/dist/bundle', 'packages/cli/dist/shim-bundle'];
const AGENTS_SIDE = ['packages/worlds/dist/enter', ...BUNDLES];

/** @type {Readonly<Record<string, readonly string[]>>} */
const PROGRAMS = {
  'packages/worlds-net/src/namespaces/namespaces.pl': [
    'packages/worlds-net/dist/namespaces',
    'packages/daemon/dist/bundle',
  ],
  'packages/worlds/src/enter/enter.pl': AGENTS_SIDE,
  'packages/worlds/src/enter/wire.pl': AGENTS_SIDE,
  'packages/worlds/src/enter/limits.pl': AGENTS_SIDE,
  'packages/worlds/src/enter/programs.pl': AGENTS_SIDE,
  'packages/worlds/src/enter/init.pl': AGENTS_SIDE,
  'packages/worlds/src/enter/attach.pl': AGENTS_SIDE,
  'packages/worlds/src/enter/guard.pl': AGENTS_SIDE,
  'packages/worlds/src/named/named.pl': ['packages/worlds/dist/named', ...BUNDLES],
  'packages/layers/src/walk/walk.pl': ['packages/layers/dist/walk', ...BUNDLES],
};

/**
 * Copies the programs. Returns the copies as paths from the root.
 * @param {string} root
 * @returns {string[]}
 */
export function copyPrograms(root) {
  return Object.entries(PROGRAMS).flatMap(([from, folders]) =>
    folders.map((folder) => {
      const to = join(folder, basename(from));
      if (!existsSync(join(root, dirname(to)))) mkdirSync(join(root, dirname(to)), { recursive: true });
      copyFileSync(join(root, from), join(root, to));
      return to;
    }),
  );
}
