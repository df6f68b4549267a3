import { closeSync, existsSync, openSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { SublError } from '@subluminal/core-types';
import { openSchema } from './schema.js';
import { openDatabase, SqliteError } from '@subluminal/ledger';

/**
 * Opens `gateway.db` and keeps it locked against every other process until it is closed: this lock, taken
 * before the socket is touched, is what makes a gateway the only one of its home.
 *
 * `ofWings`: the tables that wings bring.
 *
 * @throws SublError `already_running` when another process holds it, `home_unsafe` when it is something else,
 * `home_too_old` when it is from before version 1 of the schema, `not_available` when a later version wrote
 * it.
 */
export function openGatewayDb(path: string, ofWings: readonly string[]): Database {
  // Created empty with its final mode: SQLite's own default would be readable by others for a moment.
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
  const db = openDatabase(path, { fileMustExist: true, timeout: 0 });
  try {
    db.pragma('locking_mode=EXCLUSIVE');
    db.exec('BEGIN EXCLUSIVE');
    openSchema(db, path, ofWings);
    db.exec('COMMIT');
    db.pragma('synchronous=FULL');
    db.pragma('trusted_schema=OFF');
    db.pragma('secure_delete=ON');
    return db;
  } catch (error) {
    db.close();
    throw asStartError(path, error);
  }
}

function asStartError(path: string, error: unknown): unknown {
  if (!(error instanceof SqliteError)) return error;
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
