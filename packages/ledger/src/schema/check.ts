import { SublError } from '@subluminal/core-types';
import type { Database } from 'better-sqlite3';
import { APPLICATION_ID, LAYOUT, schemaOf, type Layout } from './ddl.js';
import { EARLIER_VIEWS, viewName, VIEWS } from './views.js';

/**
 * The layout of an open ledger; undefined where its number was never one.
 *
 * @throws SublError `not_available` for a layout that a later version writes.
 */
export function layoutOf(db: Database): Layout | undefined {
  const layout = Number(db.pragma('user_version', { simple: true }));
  if (layout === 1 || layout === 2) return layout;
  if (layout <= 0) return undefined;
  throw new SublError(
    'not_available',
    `the ledger has layout ${layout}, and this version reads up to ${LAYOUT}`,
    { help: 'it was written by a later version: use that version' },
  );
}

/**
 * Compares everything in `sqlite_schema` with the texts of the file's layout: no object missing, none added, none
 * changed (a filtering view in place of a table, a partial index, STRICT taken off).
 *
 * @returns what differs, or null.
 * @throws SublError `not_available` for a layout that a later version writes.
 */
export function schemaDifference(db: Database): string | null {
  if (db.pragma('application_id', { simple: true }) !== APPLICATION_ID)
    return 'application_id is not a ledger’s';
  const layout = layoutOf(db);
  if (layout === undefined) return 'its layout is not one of a ledger';
  const expected = new Set([...schemaOf(layout), ...VIEWS]);
  // A blob in the place of a text is in no set of texts.
  const rows = db
    .prepare<[], { name: string; sql: string }>('SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL')
    .all();
  for (const { name, sql } of rows) {
    if (!expected.delete(EARLIER_VIEWS.get(sql) ?? sql))
      return `\`${name}\` is not as the ledger was created`;
  }
  const [missing] = expected;
  return missing === undefined
    ? null
    : `missing: ${missing.slice(0, missing.indexOf('(')).split('\n', 1)[0]}`;
}

/** Puts the views of this version in the place of earlier ones, in a file whose schema does not differ. */
export function renewViews(db: Database): void {
  const sqls = db.prepare<[], string>(`SELECT sql FROM sqlite_schema WHERE type = 'view'`).pluck().all();
  const earlier = sqls.filter((sql) => EARLIER_VIEWS.has(sql));
  if (earlier.length === 0) return;
  db.transaction(() => {
    for (const sql of earlier) db.exec(`DROP VIEW ${viewName(sql)}; ${EARLIER_VIEWS.get(sql) ?? ''}`);
  })();
}
