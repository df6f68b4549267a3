import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import type { Bounds, LeftOut } from './bounds.js';

const CHUNK = 1024 * 1024;
const NEWLINE = 0x0a;

/** The rest of the bytes that all files together may have. */
export interface Budget {
  bytes: number;
}

/** The lines of a file, in bounded memory; what is too long or too much is counted and left out. */
export function* linesOf(
  path: string,
  bounds: Bounds,
  budget: Budget,
  left: LeftOut,
): Generator<string, void, undefined> {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) {
      left.files += 1;
      return;
    }
    const most = Math.min(bounds.bytesOfFile, budget.bytes);
    let read = 0;
    let kept: Buffer[] = [];
    let length = 0;
    let isTooLong = false;
    while (read < most) {
      const chunk = Buffer.allocUnsafe(Math.min(CHUNK, most - read));
      const count = readSync(file, chunk, 0, chunk.length, null);
      if (count === 0) break;
      read += count;
      budget.bytes -= count;
      let from = 0;
      for (;;) {
        const end = chunk.subarray(0, count).indexOf(NEWLINE, from);
        const piece = chunk.subarray(from, end === -1 ? count : end);
        length += piece.length;
        isTooLong ||= length > bounds.bytesOfLine;
        if (isTooLong) kept = [];
        else kept.push(piece);
        if (end === -1) break;
        if (isTooLong) left.long += 1;
        else yield Buffer.concat(kept).toString('utf8');
        [kept, length, isTooLong, from] = [[], 0, false, end + 1];
      }
    }
    left.bytes += Math.max(0, stat.size - read);
    // A last line without its end is one that is being written.
    if (isTooLong) left.long += 1;
    else if (length > 0 && read >= stat.size) yield Buffer.concat(kept).toString('utf8');
  } finally {
    closeSync(file);
  }
}
