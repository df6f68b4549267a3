import * as fc from 'fast-check';
import type { Database } from 'better-sqlite3';
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Book } from '../../testing/attacks/book.js';
import { attack, fillRun, fillRuns, Scratch, withoutTriggers } from '../../testing/scratch.js';
import { verifyLedger, type AppendGroup, type EntryInput } from '../index.js';

const isLong = process.env['SUB_LONG'] !== undefined;

/** Columns of every row whose content the chain, the head or the genesis record vouches for. */
const COLUMNS = [
  ['entry', 'seq', ['seq', 'ts', 'run', 'ref', 'kind', 'code', 'tool', 'body', 'hash']],
  ['dict', 'id', ['id', 'kind', 'name']],
  ['genesis', 'id', ['record']],
  ['tile', 'idx', ['lvl', 'idx', 'hash']],
  ['base', 'id', ['segment', 'seq', 'leaf', 'frontier', 'seals', 'seal_key']],
  ['head', 'id', ['note', 'frontier', 'open', 'mark_size', 'mark_frontier']],
] as const;

type Columns = readonly [string, string, readonly string[]];

/** The same of a file that goes on from another. */
const IN_FILES: readonly Columns[] = [
  ...COLUMNS,
  ['carried', 'seq', ['seq', 'kind', 'code', 'run']],
  ['carried_run', 'run', ['run', 'next', 'last']],
];

describe('any sequence of groups', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 20 });
  const runId = fc.constantFrom('a', 'b', 'ünï', '"q"', null);
  const entry: fc.Arbitrary<EntryInput> = fc.record({
    type: fc.constantFrom(
      'shim_health',
      'anomaly',
      'message_dropped',
      'tool_call_start',
      'action_pending',
      'run_start',
    ),
    ts: fc.nat(2 ** 40),
    runId,
    tool: fc.oneof(fc.constant(null), text, fc.tuple(text, text)),
    code: fc.constantFrom(null, 'ALLOW', 'CANCELLED', 'rejected'),
    data: fc.dictionary(fc.constantFrom('a', 'shim', 'call', 'req'), fc.jsonValue({ maxDepth: 3 })),
    blobs: fc.dictionary(fc.constantFrom('preview', 'call.preview.args_preview'), text),
  }) as fc.Arbitrary<EntryInput>;
  const group: fc.Arbitrary<AppendGroup> = fc
    .tuple(
      fc.array(entry, { minLength: 1, maxLength: 4 }),
      fc.option(fc.tuple(runId, fc.stringMatching(/^[a-z]{8}$/))),
    )
    .map(([entries, seen]) =>
      seen === null ? { entries } : { entries, seen: { runId: seen[0], id: seen[1] } },
    );

  it('gives a ledger that verifies, and goes on verifying after it was opened again', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(group, { maxLength: 12 }),
        fc.array(group, { maxLength: 6 }),
        async (first, second) => {
          const scratch = new Scratch();
          scratch.create();
          let accepted = 0;
          let seals = 0;
          const codes = new Set<unknown>();
          for (const groups of [first, second]) {
            const before = accepted;
            const ledger = await scratch.open();
            const results = await Promise.allSettled(groups.map((one) => ledger.append(one)));
            for (const [at, result] of results.entries()) {
              if (result.status === 'rejected') codes.add(Reflect.get(Object(result.reason), 'code'));
              else if (result.value.ok) accepted += groups[at]?.entries.length ?? 0;
            }
            await ledger.close();
            if (accepted > before) seals += 1;
          }
          const report = await scratch.verify();
          scratch.remove();
          codes.delete('not_canonical');
          expect([...codes]).toEqual([]);
          expect(report.finding).toBeNull();
          expect(report).toMatchObject({ entries: accepted + seals, seals });
        },
      ),
      { numRuns: isLong ? 400 : 16 },
    );
  });
});

describe('any single change of a stored value', () => {
  let scratch: Scratch;
  beforeAll(async () => {
    scratch = await new Scratch().fill(async (ledger) => {
      await fillRuns(ledger);
      await fillRun(ledger, 'tiles', 80);
    });
  });
  afterAll(() => scratch.remove());

  it('is found, wherever it is made', async () => {
    let copies = 0;
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.nat(), fc.nat(), fc.nat(), async (table, row, column, offset) => {
        const copy = scratch.copy(`flip-${(copies += 1) % 4}.db`);
        let described = '';
        attack(copy, (db) => withoutTriggers(db, () => (described = change(db, table, row, column, offset))));
        if (described === '') return;
        const report = await scratch.verify(copy);
        expect(report.verdict, described).toBe('tampered');
      }),
      { numRuns: isLong ? 2500 : 90 },
    );
  });
});

describe('any single change of a stored value of any file', () => {
  let book: Book;
  beforeAll(async () => {
    book = await Book.write({ segmentBytes: 1, runs: 14 });
  });
  afterAll(() => book.remove());

  it('is found, also where the files before it are not there', async () => {
    const { length } = book.older.files;
    expect(length).toBeGreaterThan(1);
    const place = fc.record({ file: fc.nat(), table: fc.nat(), row: fc.nat(), column: fc.nat() });
    await fc.assert(
      fc.asyncProperty(place, fc.nat(), fc.boolean(), async (at, offset, alone) => {
        const copy = book.copy();
        const { files } = copy;
        const number = at.file % files.length;
        let described = '';
        attack(files[number] ?? '', (db) =>
          withoutTriggers(db, () => {
            described = change(db, at.table, at.row, at.column, offset, IN_FILES);
          }),
        );
        if (alone) for (const older of files.slice(0, number)) rmSync(older);
        const { verdict } = await verifyLedger(copy.path, { headsLog: copy.headsLog });
        copy.remove();
        if (described !== '') expect(verdict, `${described} in file ${number + 1}`).toBe('tampered');
      }),
      { numRuns: isLong ? 600 : 24 },
    );
  }, 600_000);
});

/** Changes one bit of one value, or a number by one. Returns what was changed, or nothing for a NULL. */
function change(
  db: Database,
  table: number,
  row: number,
  column: number,
  offset: number,
  tables: readonly Columns[] = COLUMNS,
): string {
  db.pragma('ignore_check_constraints=ON');
  const [name, id, columns] = tables[table % tables.length] ?? COLUMNS[0];
  const field = columns[column % columns.length] ?? 'seq';
  const ids = db.prepare<[], number>(`SELECT ${id} FROM ${name}`).pluck().all();
  if (ids.length === 0) return '';
  const at = ids[row % ids.length] ?? 1;
  const value = db.prepare<[number]>(`SELECT ${field} FROM ${name} WHERE ${id} = ?`).pluck().get(at);
  const update = db.prepare(`UPDATE OR REPLACE ${name} SET ${field} = ? WHERE ${id} = ?`);
  if (typeof value === 'number') update.run(value + 1, at);
  else if (typeof value === 'string' || value instanceof Uint8Array) {
    const bytes = Buffer.from(value);
    if (bytes.length === 0) return '';
    const index = offset % bytes.length;
    bytes[index] = (bytes[index] ?? 0) ^ (1 << (offset % 7));
    const changed = typeof value === 'string' ? 'CAST(? AS TEXT)' : '?';
    db.prepare(`UPDATE OR REPLACE ${name} SET ${field} = ${changed} WHERE ${id} = ?`).run(bytes, at);
  } else return '';
  return `${name}.${field} of ${at}`;
}
