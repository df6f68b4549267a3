import SqliteDatabase, { type Database } from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { threeFiles } from '../../testing/three-files.js';
import type { Scratch } from '../../testing/scratch.js';
import { openLedgerReader } from '../index.js';
import { closedSegments, segmentsFolder } from '../segments/closed.js';

let scratch: Scratch;
let files: readonly Database[];
beforeAll(async () => {
  ({ scratch } = await threeFiles());
  const paths = [...closedSegments(segmentsFolder(scratch.path)).map(({ path }) => path), scratch.path];
  files = paths.map((path) => new SqliteDatabase(path, { readonly: true }));
});
afterAll(() => {
  for (const db of files) db.close();
  scratch.remove();
});

/** How SQLite reads a view, in each file. */
function plans(view: string): string[][] {
  return files.map((db) =>
    db
      .prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN SELECT * FROM ${view}`)
      .all()
      .map(({ detail }) => detail)
      .filter((step) => step !== `CO-ROUTINE ${view}` && step !== `SCAN ${view}`),
  );
}

const RARE = /^SEARCH \w+ USING (?:COVERING )?INDEX e_kind \(kind=\?\)$/;
const OUTER = /^SCAN \w+$/;
const JOINED =
  /^SEARCH \w+ USING (?:INTEGER PRIMARY KEY \((?:rowid=\?|rowid>\? AND rowid<\?)\)|(?:COVERING )?INDEX e_(?:ref|run|kind) \(\w+=\?\))(?: LEFT-JOIN)?$/;
const OTHER = /^(?:CORRELATED SCALAR SUBQUERY \d+|USE TEMP B-TREE FOR GROUP BY)$/;

describe('a view', () => {
  it.each(['runs', 'hints', 'policy_versions'])('%s reads the entries of its kind, in every file', (view) => {
    for (const [first, ...rest] of plans(view)) {
      expect(first).toMatch(RARE);
      for (const step of rest.filter((one) => !OTHER.test(one))) expect(step).toMatch(JOINED);
    }
  });

  it.each(['tool_calls', 'previews', 'audit_log'])(
    '%s goes through the entries once, in every file',
    (view) => {
      for (const [first, ...rest] of plans(view)) {
        expect(first).toMatch(OUTER);
        for (const step of rest.filter((one) => !OTHER.test(one))) expect(step).toMatch(JOINED);
      }
    },
  );
});

it('the views of all files together have each run and each call once', () => {
  const all = <T>(sql: string): T[] => files.flatMap((db) => db.prepare<[], T>(sql).all());
  const reader = openLedgerReader(scratch.path);
  expect(all<{ run_id: string }>('SELECT run_id FROM runs').map(({ run_id: id }) => id)).toEqual(
    reader.runs({ order: 'asc' }).rows.map(({ runId }) => runId),
  );
  const starts = reader.byType('tool_call_start', { order: 'asc' }).rows;
  expect(all('SELECT call_id, run_id, tool_name FROM tool_calls')).toEqual(
    starts.map(({ data, runId }) => ({
      call_id: (data['call'] as { call_id: string }).call_id,
      run_id: runId,
      tool_name: 'read',
    })),
  );
  expect(all('SELECT args_preview FROM previews')).toEqual(
    starts.map(({ seq }) => ({ args_preview: reader.blob(seq, 'call.preview.args_preview') })),
  );
  reader.close();
});
