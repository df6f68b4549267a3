import type { Database } from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Altered, sql, type Change } from '../../testing/altered.js';
import { appendRow } from '../../testing/attacks/rewrite.js';
import type { EntryInput, Ledger } from '../index.js';

const previews = (count: number) => async (open: Ledger) => {
  const entry: EntryInput = {
    type: 'tool_call_start',
    ts: 1,
    runId: null,
    tool: ['files', 'read'],
    data: {},
    blobs: { 'call.preview.args_preview': 'a preview' },
  };
  for (let at = 0; at < count; at += 1) await open.append({ entries: [entry] });
};

/** Says that previews have expired, in one more entry. */
const says =
  (data: string): Change =>
  (db) =>
    void appendRow(db, { kind: 52, type: 'previews_expired', data });
const expired = (count: number, from: number, to: number): Change =>
  says(`{"count":${count},"from":${from},"to":${to}}`);
const gone = (where: string): Change => sql(`DELETE FROM blob WHERE ${where}`);

const missing = (seq: number): string =>
  `blob at ${seq}: \`call.preview.args_preview\` is missing, and no entry says that it was dropped or has expired`;
const NO_RANGE = 'it does not name what has expired';
const NOT_NEXT = 'it does not go on where the entry before it ended';
const miscounted = (count: number, found: number): string =>
  `it lets ${count} previews expire, and its range holds ${found}`;

describe('an entry by which previews expire', () => {
  /** Eight previews, and a seal. What is added becomes entry 10, 11 and so on. */
  let ledger: Altered;
  beforeAll(async () => {
    ledger = await Altered.write(previews(8));
  });
  afterAll(() => ledger.remove());

  it.each<readonly [string, readonly Change[], string]>([
    ['of which none is gone yet', [expired(3, 1, 3)], 'unproven'],
    ['all of which are gone', [expired(3, 1, 3), gone('seq <= 3')], 'unproven'],
    ['and another that goes on', [expired(3, 1, 3), expired(2, 4, 5), gone('seq <= 5')], 'unproven'],
    ['from some entry on', [expired(2, 3, 4), gone('seq IN (3, 4)')], 'unproven'],
    ['up to the entry before it', [expired(8, 1, 9), gone('true')], 'unproven'],
    ['but one behind them is gone', [expired(3, 1, 3), gone('seq = 4')], missing(4)],
    ['but one before them is gone', [expired(2, 3, 4), gone('seq = 2')], missing(2)],
    ['but one behind them all is gone', [expired(3, 1, 3), expired(2, 4, 5), gone('seq = 6')], missing(6)],
    ['fewer than it says', [expired(4, 1, 3)], `blob at 10: ${miscounted(4, 3)}`],
    ['more than it says', [expired(2, 1, 3)], `blob at 10: ${miscounted(2, 3)}`],
    ['and another that leaves one out', [expired(3, 1, 3), expired(1, 5, 5)], `blob at 11: ${NOT_NEXT}`],
    ['and another that repeats one', [expired(3, 1, 3), expired(2, 3, 4)], `blob at 11: ${NOT_NEXT}`],
    [
      'up to itself',
      [expired(8, 1, 10)],
      'blob at 10: it lets previews expire that are not older than itself',
    ],
    ['of no number', [expired(0, 1, 3)], `blob at 10: ${NO_RANGE}`],
    ['of no range', [says('{}')], `blob at 10: ${NO_RANGE}`],
    ['of nothing readable', [says('{"a"}')], `blob at 10: ${NO_RANGE}`],
    ['and another of no range', [expired(3, 1, 3), gone('seq <= 3'), says('{}')], `blob at 11: ${NO_RANGE}`],
  ])('%s', async (_, changes, finding) => {
    const all: Change = (db) => {
      for (const change of changes) change(db);
    };
    expect(await ledger.forged(all)).toBe(finding);
  });
});

describe('an entry by which previews of an older file expire', () => {
  /**
   * Previews 1 to 4 and 9 to 12, with the end of a file between them, and a seal. The added one becomes
   * entry 14.
   */
  let ledger: Altered;
  beforeAll(async () => {
    ledger = await Altered.write(previews(4), previews(4));
  });
  afterAll(() => ledger.remove());

  it.each<readonly [string, boolean, Change, string]>([
    ['counts them with those of its own file', true, expired(6, 1, 10), 'unproven'],
    ['is not doubted where that file is not there', false, expired(6, 1, 10), 'unproven'],
    ['has to count those that are there', false, expired(1, 1, 10), `blob at 14: ${miscounted(1, 2)}`],
    ['counts no other', true, expired(7, 7, 10), `blob at 14: ${miscounted(7, 2)}`],
    ['may count what ends that file, which is not there', false, expired(7, 7, 10), 'unproven'],
    ['counts nothing that is not there', false, expired(7, 8, 10), `blob at 14: ${miscounted(7, 2)}`],
  ])('%s', async (_, isWhole, change, finding) => {
    expect(await ledger.forged(change, { isWhole })).toBe(finding);
  });
});

describe('what is read of such entries before the walk', () => {
  let ledger: Altered;
  const data = { count: 2, from: 1, to: 2 };
  beforeAll(async () => {
    ledger = await Altered.write(async (open) => {
      await previews(2)(open);
      await open.append({ entries: [{ type: 'previews_expired', ts: 1, runId: null, data }] });
    });
  });
  afterAll(() => ledger.remove());

  const index = (kinds: string): string => `CREATE INDEX e_kind ON entry(kind) WHERE kind NOT IN (${kinds})`;
  const TRUE = index('2,3,4,20,21');
  const schema = (db: Database, text: string): void => {
    db.pragma('writable_schema=ON');
    db.exec(text);
    db.pragma('writable_schema=RESET');
  };

  it('is missed where an index hides one', async () => {
    const hidden: Change = (db) => {
      db.exec(`DROP INDEX e_kind; ${index('2,3,4,20,21,52')}`);
      schema(db, `UPDATE sqlite_schema SET sql = '${TRUE}' WHERE name = 'e_kind'`);
    };
    expect(await ledger.alone(hidden)).toBe(`blob at 3: ${NO_RANGE}`);
  });

  it('is not believed where an index makes one of another entry', async () => {
    const own = await Altered.write(async (open) => {
      await previews(2)(open);
      await open.append({ entries: [{ type: 'shim_health', ts: 1, runId: null, data }] });
    });
    const shown: Change = (db) => {
      db.exec('UPDATE entry SET kind = 52 WHERE seq = 3; REINDEX e_kind');
      const page = db.prepare<[], number>("SELECT rootpage FROM sqlite_schema WHERE name = 'e_kind'").pluck();
      const root = page.get();
      schema(db, "DELETE FROM sqlite_schema WHERE name = 'e_kind'");
      db.exec('UPDATE entry SET kind = 9 WHERE seq = 3; DELETE FROM blob');
      schema(db, `INSERT INTO sqlite_schema VALUES('index', 'e_kind', 'entry', ${root}, '${TRUE}')`);
    };
    expect(await own.alone(shown)).toBe('blob at 3: what it says of expired previews stands nowhere');
    own.remove();
  });

  it.each(['null', '5', '"text"', '{}', '{"data":5}', 'garbage'])(
    'is nothing where a body is %s',
    async (body) => {
      const change: Change = (db) => {
        db.exec('DELETE FROM blob');
        db.prepare('UPDATE entry SET body = ? WHERE kind = 52').run(body);
      };
      expect(await ledger.alone(change)).toBe('hash at 3: body and predecessor do not give its hash');
    },
  );
});
