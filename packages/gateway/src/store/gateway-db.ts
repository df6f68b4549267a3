import { closeSync, existsSync, openSync } from 'node:fs';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import { SublError } from '@subluminal/core-types';

/** `PRAGMA application_id` of a gateway's own database: "Subg". */
const APPLICATION_ID = 0x53756267;

/**
 * Opens `gateway.db` and keeps it locked against every other process until it is closed: this lock, taken before the
 * socket is touched, is what makes a gateway the only one of its home. Design §3.
 *
 * @throws SublError `already_running` when another process holds it, `home_unsafe` when it is something else.
 */
export function openGatewayDb(path: string): Database {
  // Created empty with its final mode: SQLite's own default would be readable by others for a moment.
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
  const db = new SqliteDatabase(path, { fileMustExist: true, timeout: 0 });
  try {
    db.pragma('locking_mode=EXCLUSIVE');
    db.exec('BEGIN EXCLUSIVE; COMMIT');
    const id = db.pragma('application_id', { simple: true });
    if (id !== 0 && id !== APPLICATION_ID)
      throw new SublError('home_unsafe', `\`${path}\` is not a gateway's database`);
    db.pragma(`application_id=${APPLICATION_ID}`);
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
  if (!(error instanceof SqliteDatabase.SqliteError)) return error;
  if (error.code.startsWith('SQLITE_BUSY') || error.code.startsWith('SQLITE_LOCKED')) {
    return new SublError('already_running', `another gateway serves the home of \`${path}\``, {
      cause: error,
      help: 'use it, or stop it with `sub down`',
    });
  }
  return new SublError('home_unsafe', `\`${path}\` cannot be opened: ${error.message}`, { cause: error });
}
