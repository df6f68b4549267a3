import type { Database } from 'better-sqlite3';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attack, fillRun, fillRuns, Scratch, withoutTriggers } from '../../testing/scratch.js';
import { growTiles } from '../../testing/grow-tiles.js';
import { bodySuffix, NO_LEAF } from '../entry/format.js';
import { KINDS, type EntryType } from '../entry/kinds.js';
import { sha256Hex, preimage } from '@subluminal/core-types';
import { verifyLedger } from '../index.js';
import { Frontier } from '../merkle/frontier.js';
import type { FindingClass } from './report.js';

let scratch: Scratch;
beforeAll(async () => {
  scratch = await new Scratch().fill(fillRuns);
});
afterAll(() => scratch.remove());

let copies = 0;
async function found(edit: (db: Database) => void): Promise<unknown> {
  const copy = scratch.copy(`forged-${(copies += 1)}.db`);
  attack(copy, edit);
  const { exit, finding } = await scratch.verify(copy);
  return { exit, class: finding?.class };
}

const sql = (text: string) => (db: Database) => withoutTriggers(db, () => db.exec(text));

/** Edits a table whose constraints are out of the way meanwhile; its text is put back afterwards. */
const unbound = (table: string, from: string, to: string, edit: string) => (db: Database) => {
  const text = db
    .prepare<[string], string>('SELECT sql FROM sqlite_schema WHERE name = ?')
    .pluck()
    .get(table);
  db.pragma('writable_schema=ON');
  const set = db.prepare<[string | undefined, string]>('UPDATE sqlite_schema SET sql = ? WHERE name = ?');
  set.run(text?.replace(from, to).replace(/\) STRICT(, )?/, ') '), table);
  db.pragma('writable_schema=RESET');
  sql(edit)(db);
  db.pragma('writable_schema=ON');
  set.run(text, table);
  db.pragma('writable_schema=RESET');
};

describe('what only a constraint would forbid is found', () => {
  const cases: readonly (readonly [string, (db: Database) => void, FindingClass])[] = [
    [
      'a second genesis record behind the first',
      unbound('genesis', 'CHECK(id=1)', '', 'INSERT INTO genesis SELECT 2, record FROM genesis'),
      'genesis',
    ],
    [
      'the genesis record moved aside for another that readers are shown',
      unbound(
        'genesis',
        'CHECK(id=1)',
        '',
        `UPDATE genesis SET id = 0; INSERT INTO genesis SELECT 1, replace(record, '"created":1', '"created":2') FROM genesis`,
      ),
      'genesis',
    ],
    [
      'the genesis record under another id',
      unbound('genesis', 'CHECK(id=1)', '', 'UPDATE genesis SET id = 2'),
      'genesis',
    ],
    [
      'a second head',
      unbound(
        'head',
        'CHECK(id=1)',
        '',
        'INSERT INTO head SELECT 2, note, frontier, open, mark_size, mark_frontier FROM head',
      ),
      'head',
    ],
    [
      'a head stored as bytes',
      unbound('head', 'note TEXT', 'note BLOB', 'UPDATE head SET note = CAST(note AS BLOB)'),
      'head',
    ],
    [
      'a name stored as bytes',
      unbound('dict', 'name TEXT', 'name BLOB', 'UPDATE dict SET name = CAST(name AS BLOB) WHERE id = 2'),
      'dict',
    ],
    [
      'a blob stored as text',
      unbound('blob', 'data BLOB', 'data TEXT', 'UPDATE blob SET data = CAST(data AS TEXT)'),
      'type',
    ],
    [
      'a salt that took over a byte of the content',
      unbound(
        'blob',
        'CHECK(length(salt)=16)',
        '',
        'UPDATE blob SET salt = CAST(salt || substr(data, 1, 1) AS BLOB), data = substr(data, 2)',
      ),
      'blob',
    ],
  ];
  it.each(cases)('%s', async (_, edit, kind) => {
    expect(await found(edit)).toEqual({ exit: 4, class: kind });
  });

  it.each([100, 4_294_967_297, Number.MAX_SAFE_INTEGER, 0, -1])(
    'a name under the number %i, and no memory is spent on it',
    async (number) => {
      const tables = `UPDATE dict SET id = ${number} WHERE id = 1; UPDATE entry SET run = ${number} WHERE run = 1;
      UPDATE seen SET run = ${number} WHERE run = 1`;
      expect(await found(sql(tables))).toEqual({ exit: 4, class: 'dict' });
    },
  );

  it('a name whose U+FFFD was put back as invalid bytes, so that no query finds it', async () => {
    const special = await new Scratch().fill(async (ledger) => {
      await ledger.append({
        entries: [{ type: 'shim_health', ts: 1, runId: null, tool: 'a\uFFFDb', data: {} }],
      });
    });
    expect((await special.verify()).verdict).toBe('ok');
    attack(
      special.path,
      sql(`UPDATE dict SET name = CAST(replace(CAST(name AS BLOB), x'EFBFBD', x'FF') AS TEXT)`),
    );
    expect((await special.verify()).finding).toMatchObject({ class: 'dict', seq: 1 });
    special.remove();
  });
});

describe('an entry that no query finds any more', () => {
  it.each([
    ['the first', 1],
    ['one in the middle', 20],
    ['the last but one', 33],
  ])('because the body of the next one swallowed its text: %s', async (_, seq) => {
    const swallow = (db: Database) =>
      withoutTriggers(db, () => {
        const start = preimage(ledgerIdOf(db), 0, '', '').split('0\n')[0] ?? '';
        db.prepare(
          `UPDATE entry SET body = (SELECT concat(e.body,char(31),e.kind,',',e.code,',',e.run,',',e.tool,char(31),
          coalesce(e.ref,'null'),char(31),e.ts,char(31),?,e.seq+1,char(10),lower(hex(e.hash)),char(10))
          FROM entry e WHERE e.seq = ?) || body WHERE seq = ?`,
        ).run(start, seq, seq + 1);
        db.prepare('DELETE FROM entry WHERE seq = ?').run(seq);
      });
    expect(await found(swallow)).toEqual({ exit: 4, class: 'missing' });
  });
});

function ledgerIdOf(db: Database): string {
  return db.prepare<[], string>("SELECT record->>'$.ledger_id' FROM genesis").pluck().get() ?? '';
}

describe('entries that nobody signed', () => {
  /** Adds system entries that fit in every way, as one without the key can. */
  function forge(db: Database, count: number, data: string, type: EntryType = 'shim_health'): void {
    const tip = db
      .prepare<[], { seq: number; hash: Buffer }>('SELECT seq, hash FROM entry ORDER BY seq DESC LIMIT 1')
      .get();
    if (tip === undefined) throw new Error('the ledger is empty');
    const system = db
      .prepare<[], { ri: number; hash: Buffer }>(
        `SELECT body->>'$.ri' AS ri, hash FROM entry WHERE run IS NULL ORDER BY seq DESC LIMIT 1`,
      )
      .get();
    let leaf = tip.hash.toString('hex');
    let ri = (system?.ri ?? -1) + 1;
    let rp = system?.hash.toString('hex') ?? NO_LEAF;
    for (let seq = tip.seq + 1; seq <= tip.seq + count; seq += 1, ri += 1) {
      const suffix = bodySuffix({ ref: null, ri, rp, run: null, tool: null, ts: 1, type });
      const body = `{"code":null,"data":${data}${suffix}`;
      leaf = sha256Hex(preimage('test-ledger', seq, leaf, body));
      rp = leaf;
      db.prepare('INSERT INTO entry VALUES(?,1,NULL,NULL,?,0,NULL,?,?)').run(
        seq,
        KINDS[type],
        body,
        Buffer.from(leaf, 'hex'),
      );
    }
    withoutTriggers(db, () => {
      db.exec('DELETE FROM tile');
      growTiles(db, new Frontier());
    });
  }

  it('are unproven while they are as few as a crash leaves, and a contradiction beyond', async () => {
    const few = scratch.copy('few.db');
    attack(few, (db) => forge(db, 255, '{}'));
    expect(await scratch.verify(few)).toMatchObject({ exit: 6, entries: 289 });
    const many = scratch.copy('many.db');
    attack(many, (db) => forge(db, 256, '{}'));
    const { headsLog } = scratch;
    const report = await verifyLedger(many, { headsLog, live: true });
    expect(report).toMatchObject({ exit: 4, finding: { class: 'head', seq: 35 } });
  });

  it('are not taken over by a writer beyond what a crash leaves', async () => {
    const own = await new Scratch().fill(fillRuns);
    attack(own.path, (db) => forge(db, 256, '{}'));
    await expect(own.open()).rejects.toMatchObject({ code: 'ledger_corrupt' });
    own.remove();
  });

  it.each([
    '{"#blobs":5}',
    '{"#blobs":{"a":null}}',
    '{"#seen":7}',
    '{"#seen":["r"]}',
    '{"#garbage',
    '{"#blobs":[1]}',
  ])('are a contradiction where their own members are %s', async (data) => {
    expect(await found((db) => forge(db, 1, data))).toEqual({ exit: 4, class: 'column' });
  });

  const counted = (db: Database, data: string): string =>
    data.replaceAll('N', String(db.prepare<[], number>('SELECT count(*) FROM blob').pluck().get()));
  const first = '"kind":"cmd","root":"r","size":1,"target":"a"';
  it.each([
    ['previews_expired', '{"count":1,"from":2,"to":2},"data":{"count":N,"from":1,"to":33}'],
    ['previews_expired', '{"count":N,"from":1,"to":2,"to":33}'],
    ['previews_expired', '{"count":N,"from":1,"to":33.0}'],
    ['previews_expired', '{"count":N,"from":1, "to":33}'],
    ['anchored', `{"evidence":{},${first}},"data":{"evidence":{},${first}}`],
    ['anchored', `{"evidence":{},${first},"target":"b"}`],
    ['segment_closed', '{}'],
  ] as const)('are a contradiction where two readers could read two things: %s %s', async (type, data) => {
    expect(await found((db) => forge(db, 1, counted(db, data), type))).toMatchObject({ exit: 4 });
  });
  it('are taken for what they say where they say it once', async () => {
    const data = `{"evidence":{},${first}}`;
    expect(await found((db) => forge(db, 1, data, 'anchored'))).toMatchObject({ exit: 6 });
    const expired = '{"count":N,"from":1,"to":33}';
    expect(await found((db) => forge(db, 1, counted(db, expired), 'previews_expired'))).toMatchObject({
      exit: 6,
    });
  });
});

describe('a heads log that is no file', () => {
  it.skipIf(process.platform === 'win32')('is damaged, and nobody waits for it', async () => {
    const own = await new Scratch().fill();
    rmSync(own.headsLog);
    execFileSync('mkfifo', [own.headsLog]);
    expect((await own.verify()).finding).toMatchObject({ class: 'heads_log' });
    await expect(own.open()).rejects.toMatchObject({ code: 'ledger_corrupt' });
    rmSync(own.headsLog);
    mkdirSync(own.headsLog);
    expect((await own.verify()).finding).toMatchObject({ class: 'heads_log' });
    own.remove();
  });
});

describe('a heads log that lost lines', () => {
  it('proves nothing: exit 6, and the next start writes to it again', async () => {
    const own = await new Scratch().fill((ledger) => fillRun(ledger, 'r', 3));
    const again = await own.open();
    await fillRun(again, 's', 3);
    await again.close();
    const lines = readFileSync(own.headsLog, 'utf8').split('\n');
    expect(lines).toHaveLength(5);
    const check = async (kept: number): Promise<unknown> => {
      writeFileSync(
        own.headsLog,
        lines
          .slice(0, kept)
          .map((line) => `${line}\n`)
          .join(''),
      );
      const { exit, reasons } = await own.verify();
      return { exit, reasons };
    };
    expect(await check(4)).toEqual({ exit: 0, reasons: [] });
    expect(await check(3)).toEqual({ exit: 0, reasons: [] });
    expect(await check(2)).toEqual({
      exit: 6,
      reasons: ['the heads log has lost its lines after entry 1'],
    });
    expect(await check(1)).toEqual({ exit: 6, reasons: ['the heads log remembers no entry'] });
    const third = await own.open();
    expect(third.memory).toBe('recreated');
    await third.close();
    expect((await own.verify()).exit).toBe(0);
    own.remove();
  });
});
