import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/**
 * The first `most` bytes of a file; undefined for anything else of that name: a world may put a pipe there,
 * which nobody ever writes, or a file of any size. Throws the system's errors.
 */
export function startOfFile(path: string, most: number): Buffer | undefined {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) return undefined;
    const bytes = Buffer.allocUnsafe(Math.min(stats.size, most));
    let size = 0;
    for (let count = 1; count > 0 && size < bytes.length; size += count)
      count = readSync(file, bytes, size, bytes.length - size, null);
    return bytes.subarray(0, size);
  } finally {
    closeSync(file);
  }
}
