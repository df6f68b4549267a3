import { SublError } from '@subluminal/core-types';
import { closeSync, openSync, readSync, statSync } from 'node:fs';

/** The first 16 bytes of every SQLite database. */
const MAGIC = Buffer.from('SQLite format 3\0', 'latin1');

/**
 * Refuses what cannot be a ledger before SQLite sees it: nothing there, a folder, a pipe that would hold up whoever
 * reads it, a file of another kind. What is damaged further in is for the verification to name.
 *
 * @throws SublError `ledger_missing`; the error of the file system where the file cannot be read.
 */
export function assertDatabaseFile(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new SublError('ledger_missing', `there is no ledger at \`${path}\``);
  if (!stats.isFile() || !startsWithMagic(path)) {
    throw new SublError('ledger_missing', `\`${path}\` is not a ledger`, {
      help: 'name a `ledger.db`, or a copy of one',
    });
  }
}

function startsWithMagic(path: string): boolean {
  const handle = openSync(path, 'r');
  try {
    const start = Buffer.alloc(MAGIC.length);
    return readSync(handle, start, 0, start.length, 0) === MAGIC.length && start.equals(MAGIC);
  } finally {
    closeSync(handle);
  }
}
