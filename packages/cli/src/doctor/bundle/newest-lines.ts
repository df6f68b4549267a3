import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { hasCode } from '@subluminal/ipc';

const MAX_BYTES = 65_536;
const MAX_LINES = 200;
const MAX_LINE = 2000;

/** The newest lines of a file, cut if they are long; none if there is no file. */
export function newestLines(path: string): readonly string[] {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'EACCES')) return [];
    throw error;
  }
  try {
    const { size } = fstatSync(file);
    const start = Math.max(0, size - MAX_BYTES);
    const bytes = Buffer.alloc(Math.min(size, MAX_BYTES));
    const read = readSync(file, bytes, 0, bytes.length, start);
    const lines = bytes.toString('utf8', 0, read).split('\n');
    // Of the first line only an end may be there, whose beginning would have said that it is a secret.
    const whole = start > 0 ? lines.slice(1) : lines;
    return whole
      .filter((line) => line !== '')
      .slice(-MAX_LINES)
      .map((line) => (line.length > MAX_LINE ? `(a line of ${line.length} characters)` : line));
  } finally {
    closeSync(file);
  }
}
