import { createHash } from 'node:crypto';
import { closeSync, fstatSync, readSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { hasCode } from '@subluminal/ipc';
import type { BytePath } from './byte-path.js';
import type { Folder } from './folder.js';

const CHUNK_BYTES = 65_536;
/** Bytes between two turns of the event loop. */
const TURN_BYTES = 8_388_608;

/**
 * SHA-256 of a file in a folder, in hex. Undefined where it is no file any more, cannot be read, or has not
 * `size` bytes. It is opened at once, and a large one is read in turns.
 */
export async function sha256At(folder: Folder, name: BytePath, size: number): Promise<string | undefined> {
  const hash = createHash('sha256');
  const isRead = await readWhole(folder, name, size, (bytes) => void hash.update(bytes));
  return isRead ? hash.digest('hex') : undefined;
}

/** The bytes of a small file in a folder, as `sha256At` reads them. */
export async function bytesAt(folder: Folder, name: BytePath, size: number): Promise<Buffer | undefined> {
  const all: Buffer[] = [];
  const isRead = await readWhole(folder, name, size, (bytes) => void all.push(Buffer.from(bytes)));
  return isRead ? Buffer.concat(all) : undefined;
}

async function readWhole(
  folder: Folder,
  name: BytePath,
  size: number,
  take: (bytes: Buffer) => void,
): Promise<boolean> {
  let file: number;
  try {
    file = folder.file(name);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ELOOP', 'EACCES', 'ENXIO', 'ENOTDIR')) return false;
    throw error;
  }
  try {
    if (!fstatSync(file).isFile()) return false;
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size + 1));
    let left = size;
    let turnAt = size - TURN_BYTES;
    for (;;) {
      const count = readSync(file, buffer, 0, buffer.length, null);
      if (count === 0) return left === 0;
      left -= count;
      if (left < 0) return false;
      take(buffer.subarray(0, count));
      if (left < turnAt) {
        turnAt = left - TURN_BYTES;
        await setImmediate();
      }
    }
  } finally {
    closeSync(file);
  }
}
