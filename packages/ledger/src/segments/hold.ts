import { SublError } from '@subluminal/core-types';
import type { Database } from 'better-sqlite3';
import { existsSync } from 'node:fs';
import { SqliteError } from '../sqlite/open.js';

/**
 * Takes a file for its writer's connection alone, moves the write-ahead log into it and does without one from
 * then on, so that the file is all that there is of it. Nobody is waited for.
 *
 * @returns false where another connection has it open; nothing has changed then.
 * @throws SublError `ledger_unsafe` where the log cannot be removed: whoever opens the file next would read
 * it over what was written without it. Nothing was written; who opens it anew goes on with the log.
 */
export function holdAlone(db: Database): boolean {
  const wait = Number(db.pragma('busy_timeout', { simple: true }));
  db.pragma('busy_timeout=0');
  try {
    db.pragma('locking_mode=EXCLUSIVE');
    db.pragma('journal_mode=DELETE');
    read(db);
    // Asked again: the change is reported as made even where the file could not be written.
    if (db.pragma('journal_mode', { simple: true }) === 'delete') {
      // SQLite does not say so: to it a log that has been moved into the file is of no more use.
      if (existsSync(`${db.name}-wal`))
        throw new SublError('ledger_unsafe', `\`${db.name}-wal\` cannot be removed`);
      // A commit counts once its journal is gone for good: what follows it outside of the file relies on
      // that.
      db.pragma('synchronous=EXTRA');
      return true;
    }
  } catch (error) {
    const isBusy = error instanceof SqliteError && error.code.startsWith('SQLITE_BUSY');
    if (!isBusy) throw error;
  } finally {
    db.pragma(`busy_timeout=${wait}`);
  }
  db.pragma('locking_mode=NORMAL');
  read(db);
  return false;
}

/** A mode of locking or of the journal is taken on with the next statement that reads. */
function read(db: Database): void {
  db.prepare('SELECT count(*) FROM sqlite_schema').get();
}
