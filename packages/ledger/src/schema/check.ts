import type { Database } from 'better-sqlite3';
import { APPLICATION_ID, LAYOUT, SCHEMA } from './ddl.js';
import { VIEWS } from './views.js';

/**
 * Compares everything in `sqlite_schema` with the text that this version writes: no object missing, none added, none
 * changed (a filtering view in place of a table, a partial index, STRICT taken off).
 *
 * @returns what differs, or null.
 */
export function schemaDifference(db: Database): string | null {
  if (db.pragma('application_id', { simple: true }) !== APPLICATION_ID)
    return 'application_id is not a ledger’s';
  const layout = db.pragma('user_version', { simple: true });
  if (layout !== LAYOUT) return `layout ${String(layout)} is not known to this version`;
  const expected = new Set([...SCHEMA, ...VIEWS]);
  const rows = db
    .prepare<[], { name: string; sql: unknown }>('SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL')
    .all();
  for (const { name, sql } of rows) {
    if (typeof sql !== 'string' || !expected.delete(sql))
      return `\`${name}\` is not as the ledger was created`;
  }
  const [missing] = expected;
  return missing === undefined
    ? null
    : `missing: ${missing.slice(0, missing.indexOf('(')).split('\n', 1)[0]}`;
}
