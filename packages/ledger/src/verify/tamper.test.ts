import { sha256Hex, preimage } from '@subluminal/core-types';
import type { Database } from 'better-sqlite3';
import { copyFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  attack,
  fillRun,
  fillRuns,
  keyFromSeed,
  runEnd,
  openHere,
  Scratch,
  withoutTriggers,
} from '../../testing/scratch.js';
import { signCheckpoint } from '../head/note.js';
import { createLedger, verifyLedger } from '../index.js';
import { Frontier } from '../merkle/frontier.js';
import type { FindingClass } from './report.js';

let scratch: Scratch;
beforeAll(async () => {
  scratch = await new Scratch().fill(fillRuns);
});
afterAll(() => scratch.remove());

let copies = 0;
async function found(edit: (db: Database) => void): Promise<unknown> {
  const copy = scratch.copy(`copy-${(copies += 1)}.db`);
  attack(copy, edit);
  const report = await scratch.verify(copy);
  return { exit: report.exit, class: report.finding?.class ?? report.verdict, seq: report.finding?.seq };
}

/** Gives entry `from` and all after it the hashes that fit, as an attacker who knows the format would. */
function rehash(db: Database, from: number): void {
  const record = db.prepare<[], string>('SELECT record FROM genesis').pluck().get() ?? '';
  const before = db
    .prepare<[number], Buffer>('SELECT hash FROM entry WHERE seq = ?')
    .pluck()
    .get(from - 1);
  let leaf = before === undefined ? sha256Hex(record) : before.toString('hex');
  const rows = db.prepare<[number], { seq: number; body: string }>(
    'SELECT seq, body FROM entry WHERE seq >= ? ORDER BY seq',
  );
  for (const { seq, body } of rows.all(from)) {
    leaf = sha256Hex(preimage('test-ledger', seq, leaf, body));
    db.prepare('UPDATE entry SET hash = ? WHERE seq = ?').run(Buffer.from(leaf, 'hex'), seq);
  }
}

const sql = (text: string) => (db: Database) => withoutTriggers(db, () => db.exec(text));
const sqlRehashed = (text: string, from: number) => (db: Database) =>
  withoutTriggers(db, () => {
    db.exec(text);
    rehash(db, from);
  });

describe('an untouched ledger', () => {
  it('verifies with exit 0', async () => {
    expect(await scratch.verify()).toMatchObject({
      verdict: 'ok',
      exit: 0,
      finding: null,
      entries: 34,
      runs: 3,
      blobs: 8,
      open: 0,
      headSize: 34,
      memory: { size: 34 },
      seals: 1,
      sealedSize: 33,
      notes: [],
    });
  });

  it('is unproven, exit 6, where its memory is missing, and says so', async () => {
    expect(await verifyLedger(scratch.path)).toMatchObject({ verdict: 'unproven', exit: 6 });
    expect(await verifyLedger(scratch.path, { headsLog: '/nonexistent/heads.log' })).toMatchObject({
      exit: 6,
    });
  });

  it('is unchecked, exit 1, where there is none', async () => {
    expect(await verifyLedger(`${scratch.path}.none`)).toMatchObject({ verdict: 'unchecked', exit: 1 });
  });

  it('is unproven while it is empty', async () => {
    const empty = new Scratch();
    await empty.fill(async () => undefined);
    expect(await empty.verify()).toMatchObject({ verdict: 'unproven', exit: 6 });
    empty.remove();
  });
});

describe('what an attacker does to entries is found', () => {
  const cases: readonly (readonly [string, (db: Database) => void, FindingClass, number])[] = [
    [
      'a byte of a body',
      sql(`UPDATE entry SET body = replace(body, 'call-run-a-2', 'call-run-a-9') WHERE seq = 6`),
      'hash',
      6,
    ],
    [
      'a body with its own hash',
      sqlRehashed(
        `UPDATE entry SET body = replace(body, '"latency_ms":3', '"latency_ms":4') WHERE seq = 5`,
        5,
      ),
      'run_chain',
      6,
    ],
    [
      'the last body and hash',
      sqlRehashed(`UPDATE entry SET body = replace(body, '"mac"', '"mic"') WHERE seq = 33`, 33),
      'seal',
      34,
    ],
    ['a hash', sql(`UPDATE entry SET hash = zeroblob(32) WHERE seq = 3`), 'hash', 3],
    ['the column run', sql('UPDATE entry SET run = 3 WHERE seq = 4'), 'dict', 4],
    ['the column ts', sql('UPDATE entry SET ts = ts + 1 WHERE seq = 4'), 'column', 4],
    ['the column kind', sql('UPDATE entry SET kind = 9 WHERE seq = 3'), 'column', 3],
    ['the column code', sql('UPDATE entry SET code = 2 WHERE seq = 4'), 'column', 4],
    ['an unknown kind', sql('UPDATE entry SET kind = 50 WHERE seq = 4'), 'column', 4],
    ['a code of another type', sql('UPDATE entry SET code = 33 WHERE seq = 5'), 'column', 5],
    ['the column tool', sql('UPDATE entry SET tool = NULL WHERE seq = 4'), 'dict', 4],
    ['the column ref', sql('UPDATE entry SET ref = 2 WHERE seq = 4'), 'column', 4],
    ['a ref taken away', sql('UPDATE entry SET ref = NULL WHERE seq = 5'), 'column', 5],
    ['an interior entry', sql('DELETE FROM entry WHERE seq = 7'), 'missing', 7],
    ['the first entry', sql('DELETE FROM entry WHERE seq = 1'), 'missing', 1],
    ['the last entry', sql('DELETE FROM entry WHERE seq = 34'), 'heads_log', 34],
    ['a long tail', sql('DELETE FROM entry WHERE seq > 10'), 'heads_log', 11],
    ['everything', sql('DELETE FROM entry'), 'heads_log', 1],
    [
      'an interior entry, renumbered',
      sqlRehashed('DELETE FROM entry WHERE seq = 2; UPDATE entry SET seq = seq - 1 WHERE seq > 2', 2),
      'run_chain',
      2,
    ],
    [
      'a NUL and more behind a body',
      sql(`UPDATE entry SET body = body || char(0) || 'x' WHERE seq = 8`),
      'hash',
      8,
    ],
    ['a trailing space', sql(`UPDATE entry SET body = body || ' ' WHERE seq = 8`), 'hash', 8],
    ['a page separator', sql(`UPDATE entry SET body = body || char(30) WHERE seq = 8`), 'hash', 8],
    [
      'two swapped entries',
      sql(
        'UPDATE entry SET seq = 1000 WHERE seq = 5; UPDATE entry SET seq = 5 WHERE seq = 6; UPDATE entry SET seq = 6 WHERE seq = 1000',
      ),
      'hash',
      5,
    ],
    [
      'an entry from before time',
      sql(`INSERT INTO entry SELECT 0, ts, run, NULL, kind, code, tool, body, hash FROM entry WHERE seq = 1`),
      'stray',
      0,
    ],
    [
      'an appended forgery',
      sqlRehashed(
        `INSERT INTO entry SELECT 35, ts, run, NULL, kind, code, tool, body, hash FROM entry WHERE seq = 33`,
        35,
      ),
      'run_chain',
      35,
    ],
    [
      'a swapped pair of names',
      sql(
        `UPDATE dict SET name = name || 'x' WHERE id IN (1,3); UPDATE dict SET name = '"run-b"' WHERE id = 1; UPDATE dict SET name = '"run-a"' WHERE id = 3`,
      ),
      'dict',
      2,
    ],
    ['a renamed tool', sql(`UPDATE dict SET name = '["files","write"]' WHERE kind = 2`), 'dict', 3],
    ['an unused name', sql(`INSERT INTO dict VALUES(99, 1, '"ghost"')`), 'dict', 0],
    ['the kind of a name', sql('UPDATE dict SET kind = 3 WHERE kind = 2'), 'dict', 3],
  ];
  it.each(cases)('%s', async (_, edit, kind, seq) => {
    expect(await found(edit)).toEqual({ exit: 4, class: kind, seq });
  });

  it('a changed bit anywhere in a body, though every hash after it was made to fit', async () => {
    const size = 33;
    for (let seq = 1; seq <= size; seq += 1) {
      const result = await found((db) =>
        withoutTriggers(db, () => {
          const bytes = db
            .prepare<[number], Buffer>('SELECT CAST(body AS BLOB) FROM entry WHERE seq = ?')
            .pluck()
            .get(seq);
          if (bytes === undefined) throw new Error(`there is no entry ${seq}`);
          const at = (seq * 7919) % bytes.length;
          bytes[at] = (bytes[at] ?? 0) ^ 1;
          db.prepare('UPDATE entry SET body = CAST(? AS TEXT) WHERE seq = ?').run(bytes, seq);
          rehash(db, seq);
        }),
      );
      expect(result, `entry ${seq}`).toMatchObject({ exit: 4 });
    }
  });

  it('U+FFFD put back as the invalid bytes that decode to it', async () => {
    const special = await new Scratch().fill(async (ledger) => {
      await ledger.append({
        entries: [{ type: 'shim_health', ts: 1, runId: 'r', data: { text: 'a\uFFFDb' } }],
      });
    });
    expect((await special.verify()).verdict).toBe('ok');
    attack(special.path, (db) =>
      withoutTriggers(db, () =>
        db.exec(`UPDATE entry SET body = CAST(replace(CAST(body AS BLOB), x'EFBFBD', x'FF') AS TEXT)`),
      ),
    );
    expect((await special.verify()).finding).toMatchObject({ class: 'hash', seq: 1 });
    special.remove();
  });
});

describe('what an attacker does beside the entries is found', () => {
  const cases: readonly (readonly [string, (db: Database) => void, FindingClass])[] = [
    ['a deleted blob', sql('DELETE FROM blob WHERE seq = 3'), 'blob'],
    ['a changed blob', sql(`UPDATE blob SET data = x'00' WHERE seq = 3`), 'blob'],
    ['a changed salt', sql('UPDATE blob SET salt = zeroblob(16) WHERE seq = 3'), 'blob'],
    ['an added blob', sql(`INSERT INTO blob VALUES(4, 'x', zeroblob(16), x'00')`), 'blob'],
    ['a blob of no entry', sql(`INSERT INTO blob VALUES(4000, 'x', zeroblob(16), x'00')`), 'blob'],
    ['a forgotten request id', sql(`DELETE FROM seen WHERE id = 'request-1'`), 'seen'],
    ['an invented request id', sql(`INSERT INTO seen VALUES(1, 'request-9', 4)`), 'seen'],
    ['a request id of another entry', sql(`UPDATE seen SET seq = 4 WHERE id = 'request-1'`), 'seen'],
    ['a request id of another run', sql(`UPDATE seen SET run = 1 WHERE id = 'request-1'`), 'seen'],
    [
      'a new genesis record',
      sql(`UPDATE genesis SET record = replace(record, '"created":1', '"created":2')`),
      'genesis',
    ],
    ['no genesis record', sql('DELETE FROM genesis'), 'genesis'],
    ['no head', sql('DELETE FROM head'), 'head'],
    [
      'a head of a smaller size',
      (db) =>
        sql(
          `UPDATE head SET note = '${signCheckpoint('test-ledger', { size: 1, root: new Frontier().root() }, { log: keyFromSeed(7) }).replaceAll("'", "''")}'`,
        )(db),
      'head',
    ],
    [
      'a head under another key',
      (db) =>
        sql(
          `UPDATE head SET note = '${signCheckpoint('test-ledger', { size: 33, root: 'ab'.repeat(32) }, { log: keyFromSeed(9) })}'`,
        )(db),
      'head',
    ],
    ['the list of open entries', sql(`UPDATE head SET open = '[4]'`), 'head'],
    ['the frontier', sql('UPDATE head SET frontier = zeroblob(length(frontier))'), 'head'],
    ['the mark', sql(`UPDATE head SET mark_size = 1, mark_frontier = zeroblob(32)`), 'head'],
    ['a dropped trigger', (db) => db.exec('DROP TRIGGER entry_update'), 'schema'],
    [
      'an added trigger',
      (db) => db.exec('CREATE TRIGGER t AFTER INSERT ON entry BEGIN DELETE FROM seen; END'),
      'schema',
    ],
    ['an added table', (db) => db.exec('CREATE TABLE extra(x)'), 'schema'],
    ['a dropped index', (db) => db.exec('DROP INDEX e_run'), 'schema'],
    ['a rewritten view', (db) => db.exec(`DROP VIEW runs; CREATE VIEW runs AS SELECT 1 AS run_id`), 'schema'],
    [
      'a filtering view in place of the table',
      (db) =>
        db.exec(
          `ALTER TABLE entry RENAME TO hidden; CREATE VIEW entry AS SELECT * FROM hidden WHERE seq <> 7`,
        ),
      'schema',
    ],
    ['an index that hides rows', hideFromIndex, 'page'],
    ['STRICT taken off and a number stored as text', unstrict, 'schema'],
    ['a number stored as text under a STRICT schema', juggle, 'type'],
    ['another application id', (db) => db.pragma('application_id=1'), 'schema'],
    ['an earlier schema version', (db) => db.pragma('user_version=0'), 'schema'],
  ];
  it.each(cases)('%s', async (_, edit, kind) => {
    expect(await found(edit)).toMatchObject({ class: kind });
  });

  it('a deleted write-ahead log', async () => {
    const live = new Scratch();
    live.create();
    const ledger = await live.open();
    await fillRun(ledger, 'r', 10);
    await ledger.append({ entries: [runEnd('r')] });
    const copy = live.copy('copy.db');
    const headsLog = `${live.headsLog}.copy`;
    copyFileSync(live.headsLog, headsLog);
    await ledger.close();
    expect((await verifyLedger(copy, { headsLog })).finding).toBeNull();
    const cut = live.copy('cut.db');
    rmSync(`${copy}-wal`);
    rmSync(`${copy}-shm`);
    expect((await verifyLedger(copy, { headsLog })).finding).toMatchObject({ class: 'heads_log' });
    expect((await verifyLedger(cut, { headsLog })).finding).toBeNull();
    live.remove();
  });
});

describe('what an attacker does to the memory or the whole is found', () => {
  it('a damaged or foreign heads log', async () => {
    const own = await new Scratch().fill();
    const text = readFileSync(own.headsLog, 'utf8');
    const check = async (changed: string): Promise<unknown> => {
      writeFileSync(own.headsLog, changed);
      return (await own.verify()).finding?.class ?? (await own.verify()).verdict;
    };
    expect(await check(text)).toBe('ok');
    expect(await check(`${text}5`)).toBe('ok');
    expect(await check(`${text}garbage\n`)).toBe('heads_log');
    expect(await check(text.replace(/^[0-9a-f]{4}/, '0000'))).toBe('genesis');
    expect(await check(text.replace(/\n12 \S{4}/, '\n12 AAAA'))).toBe('heads_log');
    expect(await check(`${text}99 ${Buffer.alloc(32).toString('base64')} 1\n`)).toBe('heads_log');
    expect(await check('')).toBe('unproven');
    own.remove();
  });

  it('a ledger put back to an older copy', async () => {
    const own = new Scratch();
    await own.fill((ledger) => fillRun(ledger, 'r', 3));
    const old = own.copy('old.db');
    const ledger = await own.open();
    await fillRun(ledger, 's', 3);
    await ledger.close();
    expect((await own.verify(old)).finding).toMatchObject({ class: 'heads_log', seq: 12 });
    own.remove();
  });

  it('a whole ledger rewritten under another key', async () => {
    const own = await new Scratch().fill();
    const forged = `${own.path}.forged`;
    const signingKey = keyFromSeed(9);
    const sealKeyPath = `${own.keys}/forged`;
    createLedger({
      path: forged,
      ledgerId: 'test-ledger',
      createdMs: 1,
      version: '0.1.0',
      signingKey,
      sealKeyPath,
    });
    const ledger = await openHere({
      path: forged,
      signingKey: { privateKey: signingKey },
      sealKeyPath,
      durability: 'process',
      clock: () => 1,
    });
    await fillRuns(ledger);
    await ledger.close();
    expect((await own.verify(forged)).finding).toMatchObject({ class: 'genesis' });
    own.remove();
  });

  it('a pin that is not the genesis fingerprint', async () => {
    const { headsLog } = scratch;
    const report = await verifyLedger(scratch.path, { headsLog, pin: 'ab'.repeat(32) });
    expect(report.finding).toMatchObject({ class: 'genesis' });
  });

  it('damaged pages and a truncated file', async () => {
    const torn = scratch.copy('torn.db');
    truncateSync(torn, 20_000);
    expect(await scratch.verify(torn)).toMatchObject({ verdict: 'tampered', exit: 4 });
    const noise = scratch.copy('noise.db');
    const bytes = readFileSync(noise);
    writeFileSync(noise, bytes.fill('no database', 16));
    expect(await scratch.verify(noise)).toMatchObject({ verdict: 'tampered', exit: 4 });
  });

  it('nothing of a file that is no ledger: that was not checked', async () => {
    const text = join(scratch.folder, 'notes.txt');
    writeFileSync(text, Buffer.alloc(8192, 'no database'));
    const empty = join(scratch.folder, 'empty.db');
    writeFileSync(empty, '');
    for (const path of [text, empty, scratch.folder]) {
      const reasons = [`\`${path}\` is not a ledger`];
      expect(await scratch.verify(path)).toMatchObject({
        verdict: 'unchecked',
        exit: 1,
        finding: null,
        reasons,
      });
    }
  });
});

function hideFromIndex(db: Database): void {
  withoutTriggers(db, () => {
    db.exec('DROP INDEX e_run');
    db.exec('CREATE INDEX e_run ON entry(run) WHERE seq <> 7');
    db.pragma('writable_schema=ON');
    db.exec(`UPDATE sqlite_schema SET sql = 'CREATE INDEX e_run ON entry(run)' WHERE name = 'e_run'`);
    db.pragma('writable_schema=OFF');
  });
}

function unstrict(db: Database): void {
  db.pragma('writable_schema=ON');
  db.exec(`UPDATE sqlite_schema SET sql = replace(sql, ') STRICT', ')') WHERE name = 'entry'`);
  db.pragma('writable_schema=OFF');
}

/** The schema text is put back afterwards, so that only the stored value betrays it. */
function juggle(db: Database): void {
  const text =
    db.prepare<[], string>(`SELECT sql FROM sqlite_schema WHERE name = 'entry'`).pluck().get() ?? '';
  db.pragma('writable_schema=ON');
  const set = db.prepare(`UPDATE sqlite_schema SET sql = ? WHERE name = 'entry'`);
  set.run(text.replace('ts INTEGER', 'ts BLOB').replace(') STRICT', ')'));
  db.pragma('writable_schema=RESET');
  withoutTriggers(db, () => db.exec('UPDATE entry SET ts = CAST(ts AS TEXT) WHERE seq = 4'));
  db.pragma('writable_schema=ON');
  set.run(text);
  db.pragma('writable_schema=RESET');
}
