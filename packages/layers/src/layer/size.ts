import { hasCode } from '@subluminal/ipc';
import { type BytePath, joined, ROOT } from '../files/byte-path.js';
import { Folder } from '../files/folder.js';
import { Folders } from '../files/folders.js';
import type { LayerPlace } from './place.js';

/** The room that layers take on the disk. */
export interface LayerSize {
  readonly bytes: number;
  /** There are more names than were looked at. */
  readonly isAtLeast: boolean;
}

const BLOCK_BYTES = 512n;

/**
 * The room that the writes of worlds take, by so many names of all these layers at most. A world that writes
 * meanwhile is no error. Throws the system's errors.
 */
export function sizeOf(places: readonly LayerPlace[], mostNames: number): LayerSize {
  let bytes = 0n;
  let left = mostNames;
  for (const { upper } of places) {
    const root = openOrAbsent(upper);
    if (root === undefined) continue;
    const folders = new Folders(root);
    const waiting: BytePath[] = [ROOT];
    try {
      for (let path = waiting.pop(); path !== undefined && left > 0; path = waiting.pop()) {
        const folder = folders.at(path);
        for (const name of folder?.names() ?? []) {
          if (left === 0) break;
          left -= 1;
          const stats = folder?.look(name);
          bytes += (stats?.blocks ?? 0n) * BLOCK_BYTES;
          if (stats?.isDirectory() === true) waiting.push(joined(path, name));
        }
      }
    } finally {
      folders.close();
      root.close();
    }
  }
  return { bytes: Number(bytes), isAtLeast: left === 0 };
}

function openOrAbsent(path: string): Folder | undefined {
  try {
    return Folder.open(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}
