import { normalPath, type Place } from '../paths/normal.js';
import { MAX_WORD } from './bounds.js';
import { HOLE } from './marks.js';

const MOST = 6;

/** The folders after a change of folder from each of some. */
export function changed(cwd: readonly string[], to: string, place: Place): readonly string[] {
  return few(cwd.map((folder) => goTo(to, folder, place)));
}

function goTo(to: string, folder: string, place: Place): string {
  const path = to === '-' ? HOLE : normalPath(to, folder, place);
  return path.length > MAX_WORD ? HOLE : path;
}

/** Both, where a change may have failed. */
export function either(one: readonly string[], other: readonly string[]): readonly string[] {
  return few([...one, ...other]);
}

/** One that only run time knows stands for those that are too many. */
function few(folders: readonly string[]): readonly string[] {
  const all = [...new Set(folders)];
  return all.length <= MOST ? all : [...all.slice(0, MOST - 1), HOLE];
}
