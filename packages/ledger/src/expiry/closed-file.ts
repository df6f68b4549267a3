import type { Database } from 'better-sqlite3';
import { existsSync } from 'node:fs';
import { closedSegments, segmentsFolder } from '../segments/closed.js';
import { holdStatements } from '../schema/statements.js';
import { openDatabase, SqliteError } from '../sqlite/open.js';

/**
 * Opens a closed file to delete previews in it, the only thing that ever changes there. Only for the ledger's
 * writer. `work` may begin no transaction; what it does is on the disk when this returns.
 *
 * @returns what `work` gave; `failed` where that cannot be done now: somebody reads the file, and nobody is
 * waited for, or the disk or the file is damaged, which must not keep the ledger from going on.
 */
export function inClosedFile<T>(path: string, work: (db: Database) => T): T | 'failed' {
  let db: Database | undefined;
  try {
    db = holdStatements(openDatabase(path, { fileMustExist: true, timeout: 0 }));
    db.pragma('trusted_schema=OFF');
    db.pragma('cell_size_check=ON');
    db.pragma('synchronous=EXTRA');
    db.pragma('secure_delete=ON');
    return work(db);
  } catch (error) {
    if (error instanceof SqliteError) return 'failed';
    throw error;
  } finally {
    db?.close();
  }
}

/** Undoes what a crash left half done in closed files of the ledger at `path`: who only reads them cannot. */
export function finishPurges(path: string): void {
  for (const { path: closed } of closedSegments(segmentsFolder(path))) {
    if (!existsSync(`${closed}-journal`)) continue;
    inClosedFile(closed, (db) => db.prepare('SELECT count(*) FROM genesis').get());
  }
}
