import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** @import { Tree } from './tree.d.mts' */

const IMPORT = /(?:^import|^export|^\} )[^;]*?from '([^']+)'/gmu;
const CORE = 'packages/gateway/src/';

/**
 * The sources of the packages, without tests: which imports which, and how long they are. Imports of types
 * count.
 * @param {string} root @returns {Tree}
 */
export function readTree(root) {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'packages'], {
    cwd: root,
    encoding: 'utf8',
  });
  const names = listed.split('\n').filter((path) => /^packages\/[^/]+\/src\/.*(?<!\.test)\.ts$/u.test(path));
  const known = new Set(names);
  const files = new Map();
  const packages = { imports: new Map(), lines: new Map() };
  const core = { imports: new Map(), lines: new Map() };
  const folders = new Map();
  for (const path of names) {
    const text = readFileSync(join(root, path), 'utf8');
    const specifiers = [...text.matchAll(IMPORT)].map(([, specifier = '']) => specifier);
    const near = specifiers
      .filter((one) => one.startsWith('.'))
      .map((one) => normalize(join(dirname(path), one)).replace(/\.js$/u, '.ts'));
    const found = near.filter((one) => known.has(one));
    files.set(path, new Set(found));
    folders.set(dirname(path), (folders.get(dirname(path)) ?? 0) + 1);
    const length = text.split('\n').length - 1;
    const own = path.split('/')[1] ?? '';
    const others = specifiers.flatMap((one) => /^@subluminal\/([a-z-]+)(?:\/[a-z]+)?$/u.exec(one)?.[1] ?? []);
    note(packages, own, others, length);
    // The index is the surface of the core, and no room of it.
    if (path.startsWith(CORE) && path.slice(CORE.length).includes('/'))
      note(
        core,
        roomOf(path),
        found.filter((one) => one.slice(CORE.length).includes('/')).map(roomOf),
        length,
      );
  }
  return { files: { imports: files }, packages, core, folders };
}

/** @param {string} path */
function roomOf(path) {
  return path.slice(CORE.length).split('/').slice(0, -1).join('/');
}

/**
 * @param {{ imports: Map<string, Set<string>>, lines: Map<string, number> }} rooms
 * @param {string} name
 * @param {readonly string[]} others
 * @param {number} length
 */
function note({ imports, lines }, name, others, length) {
  const known = imports.get(name) ?? new Set();
  for (const other of others) if (other !== name) known.add(other);
  imports.set(name, known);
  lines.set(name, (lines.get(name) ?? 0) + length);
}
