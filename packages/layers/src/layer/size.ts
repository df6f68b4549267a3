import { lstatSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { isSublError, numberAt, parseJson, valueAt } from '@subluminal/core-types';
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
 * meanwhile is no error, and neither is a folder from which it has taken the permissions: it has at least
 * what could be looked at. Throws the system's other errors.
 */
export function sizeOf(places: readonly LayerPlace[], mostNames: number): LayerSize {
  let bytes = 0n;
  let left = mostNames;
  let isDenied = false;
  const unless = <T>(look: () => T): T | undefined => {
    try {
      return look();
    } catch (error) {
      if (!hasCode(error, 'EACCES')) throw error;
      isDenied = true;
      return undefined;
    }
  };
  for (const { upper } of places) {
    const root = unless(() => openOrAbsent(upper));
    if (root === undefined) continue;
    const folders = new Folders(root);
    const waiting: BytePath[] = [ROOT];
    try {
      for (let path = waiting.pop(); path !== undefined && left > 0; path = waiting.pop()) {
        const at = path;
        const folder = unless(() => folders.at(at));
        for (const name of unless(() => folder?.names()) ?? []) {
          if (left === 0) break;
          left -= 1;
          const stats = unless(() => folder?.look(name));
          bytes += (stats?.blocks ?? 0n) * BLOCK_BYTES;
          if (stats?.isDirectory() === true) waiting.push(joined(path, name));
        }
      }
    } finally {
      folders.close();
      root.close();
    }
  }
  return { bytes: Number(bytes), isAtLeast: left === 0 || isDenied };
}

/** Writes down the room that a layer takes, for whoever has no time to count it. */
export function noteSize({ size: file }: LayerPlace, { bytes, isAtLeast }: LayerSize): void {
  const fresh = `${file}.new`;
  writeFileSync(fresh, JSON.stringify({ bytes, at_least: isAtLeast }), { mode: 0o600 });
  renameSync(fresh, file);
}

/** A size that was written down, and when: milliseconds since 1970. */
export interface NotedSize extends LayerSize {
  readonly at: number;
}

/** That size; undefined if none is, or it cannot be read. */
export function notedSize({ size: file }: LayerPlace): NotedSize | undefined {
  try {
    const said = parseJson(readFileSync(file, 'utf8'));
    const bytes = numberAt(said, 'bytes');
    const isAtLeast = valueAt(said, 'at_least') !== false;
    return bytes === undefined ? undefined : { bytes, isAtLeast, at: lstatSync(file).mtimeMs };
  } catch (error) {
    if (hasCode(error, 'ENOENT') || isSublError(error)) return undefined;
    throw error;
  }
}

function openOrAbsent(path: string): Folder | undefined {
  try {
    return Folder.open(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}
