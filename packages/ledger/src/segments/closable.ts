import { closeSync, linkSync, mkdirSync, openSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { segmentsFolder } from './closed.js';

/**
 * Whether a file at `path` could be closed: its folder is one or can be made, can be written, and lies on the
 * same file system, which can give a file two names. A file that has ended and cannot be closed would hold up
 * the ledger; so this is asked before one ends. Leaves nothing behind.
 */
export function canBeClosed(path: string): boolean {
  const folder = segmentsFolder(path);
  const [probe, link] = [`${path}.probe`, join(folder, '.probe')];
  let made: string | undefined;
  try {
    made = mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const left of [probe, link]) rmSync(left, { force: true });
    closeSync(openSync(probe, 'wx', 0o600));
    linkSync(probe, link);
    rmSync(link);
    return true;
  } catch {
    // Whatever it is: the file that is full takes more, and is asked again later.
    return false;
  } finally {
    quietly(() => rmSync(probe, { force: true }));
    if (made !== undefined) quietly(() => rmdirSync(folder));
  }
}

function quietly(remove: () => void): void {
  try {
    remove();
  } catch {
    // Empty, and in nobody's way; the next probe begins with removing it.
  }
}
