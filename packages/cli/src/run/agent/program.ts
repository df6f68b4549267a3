import { accessSync, constants, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { hasCode } from '@subluminal/ipc';
import type { Toolchain } from '@subluminal/worlds';
import { findProgram } from '../../files/find-program.js';

/** A client's program, and what of it has to be seen so that it runs. */
export interface ClientProgram {
  readonly command: string;
  readonly shown: readonly Toolchain[];
}

/**
 * The program of a client. One of npm needs the package that it stands in; another is shown under the name by
 * which it was found, since its hooks are known by that name. Throws `usage` where there is none.
 */
export function clientProgram(name: string, path: string, cwd: string): ClientProgram {
  const found = name.includes('/') ? resolve(cwd, name) : findProgram(name, path);
  const source = runnable(found);
  if (source === undefined) return { command: name, shown: [] };
  const folder = packageOf(source);
  if (folder === undefined) return { command: found, shown: [{ path: found, source }] };
  return { command: source, shown: [{ path: folder, source: folder }] };
}

/** The file itself, where it is one that runs: a link of a repository may lead to any other. */
function runnable(path: string): string | undefined {
  try {
    accessSync(path, constants.X_OK);
    return realpathSync(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'EACCES', 'ENOTDIR', 'ELOOP')) return undefined;
    throw error;
  }
}

/** The folder of the npm package around a file. */
function packageOf(file: string): string | undefined {
  const [, before, name] = /^(.*?\/node_modules\/)((?:@[^/]+\/)?[^/]+)\//.exec(file) ?? [];
  return before === undefined || name === undefined ? undefined : before + name;
}

/** The files of `sub` itself and of the Node that runs it: `program` is its `sub.mjs`. */
export function ownPrograms(program: string, node: string): readonly Toolchain[] {
  const own = realpathSync(program);
  const folder = dirname(dirname(own));
  const files = [
    join(folder, 'bin'),
    join(folder, 'dist'),
    join(folder, '../../package.json'),
    realpathSync(node),
  ];
  return files.map((file) => ({ path: file, source: realpathSync(file) }));
}
