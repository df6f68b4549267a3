import { closeSync, existsSync, openSync } from 'node:fs';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import { SublError } from '@subluminal/core-types';
import { migrate } from './migrations/migrate.js';
import type { Migration } from './migrations/migration.js';
import { MIGRATIONS } from './migrations/migrations.js';

/** `PRAGMA application_id` of a gateway's own database: "Subg". */
const APPLICATION_ID = 0x53756267;

/**
 * Opens `gateway.db` and keeps it locked against every other process until it is closed: this lock, taken before the
 * socket is touched, is what makes a gateway the only one of its home.
 *
 * @throws SublError `already_running` when another process holds it, `home_unsafe` when it is something else,
 * `not_available` when it was written by a later version.
 */
export function openGatewayDb(path: string, migrations: readonly Migration[] = MIGRATIONS): Database {
  // Created empty with its final mode: SQLite's own default would be readable by others for a moment.
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
  const db = new SqliteDatabase(path, { fileMustExist: true, timeout: 0 });
  try {
    db.pragma('locking_mode=EXCLUSIVE');
    db.exec('BEGIN EXCLUSIVE');
    claim(db, path);
    db.exec('COMMIT');
    db.pragma('synchronous=FULL');
    migrate(db, path, migrations);
    db.pragma('trusted_schema=OFF');
    db.pragma('secure_delete=ON');
    return db;
  } catch (error) {
    db.close();
    throw asStartError(path, error);
  }
}

/** Marks an empty database as ours, and refuses every other that is not. In one transaction: a crash leaves neither half. */
function claim(db: Database, path: string): void {
  const read = (name: string): unknown => db.pragma(name, { simple: true });
  const tables = db.prepare<[], number>('SELECT count(*) FROM sqlite_schema').pluck().get();
  if (read('application_id') === 0 && tables === 0) {
    db.pragma(`application_id=${APPLICATION_ID}`);
    db.pragma('user_version=1');
    return;
  }
  if (read('application_id') === APPLICATION_ID) return;
  throw new SublError('home_unsafe', `\`${path}\` is not a gateway's database`, {
    help: 'put back the file of this home; without it a gateway cannot go on with its ledger',
  });
}

function asStartError(path: string, error: unknown): unknown {
  if (!(error instanceof SqliteDatabase.SqliteError)) return error;
  if (error.code.startsWith('SQLITE_BUSY') || error.code.startsWith('SQLITE_LOCKED')) {
    return new SublError('already_running', `another gateway serves the home of \`${path}\``, {
      cause: error,
      help: 'use it, or stop it with `sub down`',
    });
  }
  return new SublError('home_unsafe', `\`${path}\` cannot be opened: ${error.message}`, {
    cause: error,
    help: 'run `sub doctor` for what to do',
  });
}
