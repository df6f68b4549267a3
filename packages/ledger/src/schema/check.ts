import { SublError } from '@subluminal/core-types';
import type { Database } from 'better-sqlite3';
import { APPLICATION_ID, BEFORE_VERSION_1, SCHEMA, SCHEMA_VERSION } from './ddl.js';
import { VIEWS } from './views.js';

/**
 * Refuses the ledgers of other versions.
 *
 * @throws SublError `home_too_old` for one from before schema version 1, `not_available` for one of a later
 * version.
 */
export function assertReadable(db: Database): void {
  if (db.pragma('application_id', { simple: true }) === BEFORE_VERSION_1) {
    throw new SublError('home_too_old', `the ledger \`${db.name}\` is older than this version reads`, {
      help: 'to keep it, move the whole home elsewhere and read it with the version that wrote it; `sub up` then makes a new home',
    });
  }
  const version = Number(db.pragma('user_version', { simple: true }));
  if (version <= SCHEMA_VERSION) return;
  throw new SublError(
    'not_available',
    `the ledger has schema version ${version}, and this version reads up to ${SCHEMA_VERSION}`,
    { help: 'a later version wrote it: use that version' },
  );
}

/**
 * Compares everything in `sqlite_schema` with the texts of this version: no object missing, none added, none
 * changed (a filtering view in place of a table, a partial index, STRICT taken off).
 *
 * @returns what differs, or null.
 * @throws SublError as `assertReadable`.
 */
export function schemaDifference(db: Database): string | null {
  assertReadable(db);
  if (db.pragma('application_id', { simple: true }) !== APPLICATION_ID)
    return 'application_id is not a ledger’s';
  if (db.pragma('user_version', { simple: true }) !== SCHEMA_VERSION)
    return 'its schema version is not one of a ledger';
  const expected = new Set([...SCHEMA, ...VIEWS]);
  // A blob in the place of a text is in no set of texts.
  const rows = db
    .prepare<[], { name: string; sql: string }>('SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL')
    .all();
  for (const { name, sql } of rows) {
    if (!expected.delete(sql)) return `\`${name}\` is not as the ledger was created`;
  }
  const [missing] = expected;
  return missing === undefined
    ? null
    : `missing: ${missing.slice(0, missing.indexOf('(')).split('\n', 1)[0]}`;
}
