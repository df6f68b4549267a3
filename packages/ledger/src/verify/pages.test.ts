import type { Database } from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attack, fillRun, Scratch, withoutTriggers } from '../../testing/scratch.js';

/** Of 81 entries: 64 is the start of a call, the last of the first page, and 70 holds U+FFFD. */
let scratch: Scratch;
beforeAll(async () => {
  scratch = await new Scratch().fill(async (ledger) => {
    const other = { type: 'shim_health', ts: 1, runId: null } as const;
    await ledger.append({ entries: [{ ...other, data: {} }] });
    await ledger.append({ entries: [{ ...other, data: {} }] });
    await fillRun(ledger, 'a', 22);
    await ledger.append({ entries: [{ ...other, data: { text: 'a \uFFFD b' } }] });
    await fillRun(ledger, 'b', 3);
  });
});
afterAll(() => scratch.remove());

let copies = 0;
/** What is found in a copy after `edit`. */
async function found(edit: (db: Database) => void): Promise<unknown> {
  const copy = scratch.copy(`copy-${(copies += 1)}.db`);
  attack(copy, (db) => {
    db.pragma('ignore_check_constraints=ON');
    withoutTriggers(db, () => edit(db));
  });
  const { verdict, finding } = await scratch.verify(copy);
  return finding === null ? verdict : `${finding.class} ${finding.seq}`;
}

const sql = (text: string) => (db: Database) => void db.exec(text);

/** Edits entries while their table takes any type. */
const loosely = (text: string) => (db: Database) => {
  const find = db.prepare<[], string>(`SELECT sql FROM sqlite_schema WHERE name = 'entry'`).pluck();
  const strict = find.get() ?? '';
  const set = (table: string): void => {
    db.pragma('writable_schema=ON');
    db.prepare(`UPDATE sqlite_schema SET sql = ? WHERE name = 'entry'`).run(table);
    db.pragma('writable_schema=RESET');
  };
  set(strict.replace(/ (?:INTEGER|TEXT|BLOB)(?= NOT NULL|,)/g, ' ANY').replaceAll(' NOT NULL', ''));
  db.exec(text);
  set(strict);
};

describe('a page whose text may not tell its bytes apart', () => {
  it('is fine as it was written', async () => {
    expect(await found(sql(''))).toBe('ok');
  });

  it.each([
    ['another body', `UPDATE entry SET body = replace(body, '"a ', '"b ') WHERE seq = 70`, 'hash 70'],
    [
      'invalid bytes that decode to what was there',
      `UPDATE entry SET body = CAST(replace(CAST(body AS BLOB), x'EFBFBD', x'FF') AS TEXT) WHERE seq = 70`,
      'hash 70',
    ],
    ['another hash', 'UPDATE entry SET hash = zeroblob(32) WHERE seq = 69', 'hash 69'],
    ['no entry in the middle', 'DELETE FROM entry WHERE seq = 72', 'missing 72'],
    ['no first entry', 'DELETE FROM entry WHERE seq = 65', 'missing 65'],
    ['another code', 'UPDATE entry SET code = 2 WHERE seq = 71', 'column 71'],
  ])('is found with %s', async (_, text, finding) => {
    expect(await found(sql(text))).toBe(finding);
  });

  it.each([
    ['ts', 'CAST(ts AS TEXT)'],
    ['kind', 'CAST(kind AS TEXT)'],
    ['code', 'CAST(code AS TEXT)'],
    ['body', 'CAST(body AS BLOB)'],
    ['hash', 'NULL'],
    ['hash', `CAST(hash AS TEXT)`],
  ])('is found where the column %s holds another type: %s', async (column, value) => {
    expect(await found(loosely(`UPDATE entry SET ${column} = ${value} WHERE seq = 71`))).toBe('type 71');
  });
});

describe('a hash with more behind it', () => {
  it.each([10, 63, 64, 71, 81])('is found: that of entry %d', async (seq) => {
    const text = `UPDATE entry SET hash = CAST(hash || x'00' AS BLOB) WHERE seq = ${seq}`;
    expect(await found(sql(text))).toBe(`hash ${seq}`);
  });
});

describe('an entry at the end of a page', () => {
  it('is missed before its preview, which is still there', async () => {
    expect(await found(sql('DELETE FROM entry WHERE seq = 64'))).toBe('missing 64');
    expect(await found(sql('DELETE FROM entry WHERE seq IN (63, 64)'))).toBe('missing 63');
  });
});
