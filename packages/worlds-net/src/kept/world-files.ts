import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isSublError } from '@subluminal/core-types';
import { assertPrivateFolder, readOwnText } from '@subluminal/ipc';
import { type KeptWorld, keptText, keptWorldOf } from './kept-world.js';

/** As short as the name of the gateway's own socket, with that of the socket in it: longer paths are cut. */
const NAME_LENGTH = 8;
const MAX_BYTES = 65_536;

/** The files by which the next gateway knows the worlds of this one. */
export interface WorldStore {
  /** Those that a gateway before this one has left. All else in the folder is removed. */
  readonly left: () => readonly KeptWorld[];
  /** Throws the system's error; then the next gateway knows nothing of the world. */
  readonly put: (world: KeptWorld) => void;
  /** Makes the folder of a world's door; the world sees it. */
  readonly makeFolder: (id: string) => string;
  /** Nothing of the world is left. */
  readonly remove: (id: string) => void;
}

/**
 * Keeps them in a private folder, which is made: of each world a file, and the folder of its door. No world
 * outlives the machine, so nothing is synced.
 */
export function worldFiles(folder: string): WorldStore {
  const doorOf = (id: string): string => join(folder, id.slice(-NAME_LENGTH));
  const aboutOf = (id: string): string => `${doorOf(id)}.json`;
  const remove = (id: string): void => {
    for (const path of [doorOf(id), aboutOf(id)]) rmSync(path, { recursive: true, force: true });
  };
  return {
    left: () => {
      if (!existsSync(folder)) return [];
      assertPrivateFolder(folder);
      const found = readdirSync(folder).flatMap((name) => readKept(join(folder, name)) ?? []);
      const kept = new Set(found.flatMap(({ owner }) => [doorOf(owner.id), aboutOf(owner.id)]));
      for (const path of readdirSync(folder).map((name) => join(folder, name)))
        if (!kept.has(path)) rmSync(path, { recursive: true, force: true });
      return found;
    },
    put: (world) => {
      assertPrivateFolder(folder);
      const path = aboutOf(world.owner.id);
      try {
        writeFileSync(`${path}.new`, keptText(world), { mode: 0o600 });
        renameSync(`${path}.new`, path);
      } catch (error) {
        // An older text would give the next gateway addresses that stand for other names already.
        for (const one of [path, `${path}.new`]) rmSync(one, { force: true });
        throw error;
      }
    },
    makeFolder: (id) => {
      assertPrivateFolder(folder);
      const path = doorOf(id);
      mkdirSync(path, { mode: 0o700, recursive: true });
      return path;
    },
    remove,
  };
}

/** Undefined for what is no such file: a folder, half a file, one of a later version. */
function readKept(path: string): KeptWorld | undefined {
  if (!path.endsWith('.json')) return undefined;
  try {
    const text = readOwnText(path, { maxBytes: MAX_BYTES, forbidden: 0o077 });
    return text === undefined ? undefined : keptWorldOf(text);
  } catch (error) {
    if (!isSublError(error)) throw error;
    return undefined;
  }
}
