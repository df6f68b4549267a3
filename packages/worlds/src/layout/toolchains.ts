import { basename, dirname, sep } from 'node:path';
import { isThere } from './system.js';

/** Folders of a home that hold programs beside what is nobody's business. */
const MIXED = new Set(['.cargo', '.local']);

/**
 * The folders of a hidden home that have to be seen so that the programs of PATH run: a version manager keeps
 * a program's libraries beside its `bin`. Of a folder that holds other things too, only the programs.
 */
export function toolchains(path: string, home: string): string[] {
  const found = path
    .split(':')
    .filter((folder) => folder.startsWith(home + sep) && isThere(folder))
    .map((folder) => {
      const above = dirname(folder);
      const isWhole = basename(folder) === 'bin' && above !== home && !MIXED.has(basename(above));
      return isWhole ? above : folder;
    });
  return [...new Set(found)];
}
