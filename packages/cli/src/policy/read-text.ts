import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { isAbsolute, relative, sep } from 'node:path';
import { hasCode } from '@subluminal/ipc';

/** More than a policy may have: 4,194,304 characters of four bytes. */
const MAX_BYTES = 16 * 1024 * 1024;
const PAUSE_MS = 10;

/** The text of a file or a pipe that its caller named. Throws where it cannot be read, or is too large. */
export function readText(path: string): string {
  return readOpen(openSync(path, constants.O_RDONLY));
}

/** The text of standard input, which stays open. Throws where it cannot be read, or is too large. */
export function readStandardInput(): string {
  return readAll(0);
}

/**
 * The text of a file that a file names, or that stands beside one. Whose file it is decides nothing: a test
 * of a repository must not show another file of this machine. Throws where it is not below the folder.
 */
export function readTextBelow(folder: string, path: string): string {
  const real = realpathSync(path);
  const inside = relative(realpathSync(folder), real);
  if (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside))
    throw new Error(`it is not below \`${folder}\``);
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = openSync(real, O_RDONLY | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0));
  if (fstatSync(file).isFile()) return readOpen(file);
  closeSync(file);
  throw new Error('it is not a regular file');
}

function readOpen(file: number): string {
  try {
    return readAll(file);
  } finally {
    closeSync(file);
  }
}

function readAll(file: number): string {
  const chunks: Buffer[] = [];
  let length = fstatSync(file).size;
  for (let read = 0; length <= MAX_BYTES; length = Math.max(length, read)) {
    const chunk = Buffer.alloc(64 * 1024);
    const bytes = readSome(file, chunk);
    if (bytes === 0) return Buffer.concat(chunks).toString('utf8');
    chunks.push(chunk.subarray(0, bytes));
    read += bytes;
  }
  throw new Error(`it is larger than ${MAX_BYTES} bytes`);
}

/** Standard input may be one that does not block, and its writer slower than this program. */
function readSome(file: number, chunk: Buffer): number {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    try {
      return readSync(file, chunk, 0, chunk.length, null);
    } catch (error) {
      if (!hasCode(error, 'EAGAIN')) throw error;
      Atomics.wait(pause, 0, 0, PAUSE_MS);
    }
  }
}
