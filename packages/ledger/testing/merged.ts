import SqliteDatabase, { type Database } from 'better-sqlite3';
import { rmSync } from 'node:fs';
import { APPLICATION_ID, SCHEMA, SCHEMA_VERSION } from '../src/schema/ddl.js';
import { VIEWS } from '../src/schema/views.js';
import { closedSegments, segmentsFolder } from '../src/segments/closed.js';

interface Named {
  readonly run: number | null;
  readonly tool: number | null;
}

/**
 * Writes all files of a ledger into one at `target`, as if it had never gone on in another: what reading is
 * held against.
 */
export function mergeFiles(path: string, target: string): string {
  rmSync(target, { force: true });
  const into = new SqliteDatabase(target);
  const files = [...closedSegments(segmentsFolder(path)).map((closed) => closed.path), path];
  into.exec('BEGIN');
  into.pragma(`application_id=${APPLICATION_ID}`);
  into.pragma(`user_version=${SCHEMA_VERSION}`);
  for (const text of [...SCHEMA, ...VIEWS]) into.exec(text);
  for (const [at, file] of files.entries()) {
    const from = new SqliteDatabase(file, { readonly: true });
    try {
      if (at === 0)
        for (const table of ['genesis', 'base']) copy(from, into, table, `SELECT * FROM ${table}`);
      addFile(from, into);
      if (at === files.length - 1) {
        copy(from, into, 'tile', 'SELECT * FROM tile ORDER BY lvl, idx');
        copy(from, into, 'head', 'SELECT * FROM head');
      }
    } finally {
      from.close();
    }
  }
  into.exec('COMMIT');
  into.close();
  return target;
}

function addFile(from: Database, into: Database): void {
  const names = new Map<number | null, number | null>([
    [null, null],
    [0, 0],
  ]);
  const find = into.prepare<[number, string], number>('SELECT id FROM dict WHERE kind=? AND name=?').pluck();
  const add = into.prepare('INSERT INTO dict(id, kind, name) SELECT coalesce(max(id),0)+1, ?, ? FROM dict');
  const listed = from.prepare<[], { id: number; kind: number; name: string }>(
    'SELECT * FROM dict ORDER BY id',
  );
  for (const { id, kind, name } of listed.all()) {
    if (find.get(kind, name) === undefined) add.run(kind, name);
    names.set(id, find.get(kind, name) ?? null);
  }
  const renamed = (row: Named): object => ({ ...row, run: names.get(row.run), tool: names.get(row.tool) });
  copy(from, into, 'entry', 'SELECT * FROM entry ORDER BY seq', renamed);
  copy(from, into, 'seen', 'SELECT * FROM seen ORDER BY seq', (row) => ({ ...row, run: names.get(row.run) }));
  copy(from, into, 'blob', 'SELECT id, slot, salt, data FROM blob ORDER BY id');
}

function copy(
  from: Database,
  into: Database,
  table: string,
  sql: string,
  change: (row: Named) => object = (row) => row,
): void {
  for (const row of from.prepare<[], Named>(sql).all()) {
    const values = Object.entries(change(row));
    const [columns, marks] = [values.map(([name]) => name).join(), values.map(() => '?').join()];
    into
      .prepare(`INSERT INTO ${table}(${columns}) VALUES(${marks})`)
      .run(...values.map(([, value]) => value));
  }
}
