import { SublError } from '@subluminal/core-types';
import { closeSync, openSync, readSync, statSync } from 'node:fs';

/** The first 16 bytes of every SQLite database. */
const MAGIC = Buffer.from('SQLite format 3\0', 'latin1');

/**
 * Refuses what cannot be a ledger before SQLite sees it: nothing there, a folder, a pipe that would hold up
 * whoever reads it, an empty file. Nothing is opened: to close a file takes every lock on it from the whole
 * process.
 *
 * @throws SublError `ledger_missing`.
 */
export function assertDatabaseFile(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new SublError('ledger_missing', `there is no ledger at \`${path}\``);
  if (!stats.isFile() || stats.size === 0) throw noLedger(path);
}

/**
 * Refuses a file of another kind, which SQLite has refused just now. What is damaged further in is for the
 * verification to name.
 *
 * @throws SublError `ledger_missing`; the error of the file system where the file cannot be read.
 */
export function assertMagic(path: string): void {
  if (!startsWithMagic(path)) throw noLedger(path);
}

function noLedger(path: string): SublError {
  return new SublError('ledger_missing', `\`${path}\` is not a ledger`, {
    help: 'name a `ledger.db`, or a copy of one',
  });
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
