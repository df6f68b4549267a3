import type { Guard } from '../enter/guard.js';
import { isWithin } from './folder.js';
import { generatedFiles, type WorldUser } from './generated.js';
import type { Guarded } from './guarded.js';
import { placeOf } from './system.js';

/** Mounts of a world that stand on files which others may replace. */
export interface Guardable {
  readonly folder: string;
  readonly user: WorldUser;
  readonly guarded: Guarded;
  readonly hidden: readonly string[];
  readonly read: readonly string[];
  readonly write: readonly string[];
}

/** The mounts of a world that the kernel drops if somebody replaces a file outside. */
export function guardsOf({ folder, user, guarded, hidden, read, write }: Guardable): readonly Guard[] {
  const inside = (paths: readonly string[], is: Guard['is']): readonly Guard[] =>
    paths.filter((path) => path !== folder && isWithin(path, folder)).map((path) => ({ path, is }));
  // Beside the project the mounts of whole paths stand in the world's own memory: nobody replaces these.
  const own = (paths: readonly string[]): readonly string[] =>
    paths.filter((path) => isWithin(path, folder) || !write.includes(path));
  const mounted = (paths: readonly string[], is: Guard['is']): readonly Guard[] =>
    own(paths)
      .filter((path) => path !== folder)
      .map((path) => ({ path, is }));
  return [
    ...inside(write, 'written'),
    ...mounted(guarded.around, 'written'),
    ...inside(read, 'fixed'),
    ...mounted(guarded.fixed, 'fixed'),
    ...inside(hidden, 'hidden'),
    ...generatedFiles(user).map(({ path, text }) => ({ path: placeOf(path), is: { text } })),
  ];
}
