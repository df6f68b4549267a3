import { sha256Hex, preimage } from '@subluminal/core-types';
import type { Database } from 'better-sqlite3';
import { NO_LEAF } from '../../src/entry/format.js';
import { blobIds } from '../../src/schema/ddl.js';
import { withoutTriggers } from '../scratch.js';

export const LEDGER_ID = 'test-ledger';

interface Row {
  readonly seq: number;
  readonly run: number | null;
  readonly body: string;
  readonly hash: Buffer;
}

/** Runs SQL as somebody who puts the triggers back afterwards. */
export const sql =
  (text: string | ((seq: number) => string)) =>
  (copy: { edit(change: (db: Database) => void): void }, seq: number): void =>
    copy.edit((db) => withoutTriggers(db, () => db.exec(typeof text === 'string' ? text : text(seq))));

/** Changes a body; 1 of 3 forms of edit that keep it valid JSON. */
export const EDIT_BODY = (seq: number): string =>
  `UPDATE entry SET body = replace(body, ',"type":"', ', "type":"') WHERE seq = ${seq}`;

/** A believable lie: the time of an entry, in column and body alike. */
export function lie(db: Database, seq: number): void {
  const row = db
    .prepare<[number], { ts: number; body: string }>('SELECT ts, body FROM entry WHERE seq = ?')
    .get(seq);
  if (row === undefined) throw new Error(`there is no entry ${seq}`);
  const body = row.body.replace(`,"ts":${row.ts},"type":`, `,"ts":${row.ts + 1},"type":`);
  db.prepare('UPDATE entry SET ts = ?, body = ? WHERE seq = ?').run(row.ts + 1, body, seq);
}

/** Gives one entry the hash that fits. */
export function rehashOne(db: Database, seq: number): void {
  const row = db.prepare<[number], Row>('SELECT seq, run, body, hash FROM entry WHERE seq = ?').get(seq);
  const leaf = sha256Hex(preimage(LEDGER_ID, seq, leafBefore(db, seq), row?.body ?? ''));
  db.prepare('UPDATE entry SET hash = ? WHERE seq = ?').run(Buffer.from(leaf, 'hex'), seq);
}

/**
 * Gives entry `from` and all after it the hashes that fit; the chains of the runs inside the bodies stay as
 * they were.
 */
export function rehash(db: Database, from: number): void {
  chain(db, from, (row) => row.body);
}

/**
 * As `rehash`, and the bodies name their place in their run's chain anew: nothing but a signature can tell.
 */
export function relink(db: Database, from: number): void {
  const tips = tipsBefore(db);
  const before = db.prepare<[number], Row>(
    'SELECT seq, run, body, hash FROM entry WHERE seq < ? ORDER BY seq',
  );
  for (const row of before.iterate(from)) advance(tips, row.run, row.hash.toString('hex'));
  chain(
    db,
    from,
    (row) => {
      const tip = tips.get(row.run ?? 0) ?? { ri: 0, rp: NO_LEAF };
      const at = row.body.lastIndexOf(',"ri":');
      const link = row.body
        .slice(at)
        .replace(/^,"ri":[0-9]+,"rp":"[0-9a-f]{64}"/, `,"ri":${tip.ri},"rp":"${tip.rp}"`);
      return row.body.slice(0, at) + link;
    },
    (row, leaf) => advance(tips, row.run, leaf),
  );
}

/** The chains of runs where the file before left them. */
export function tipsBefore(db: Database): Map<number, { ri: number; rp: string }> {
  const rows = db
    .prepare<[], { run: number; next: number; last: Buffer }>('SELECT run, next, last FROM carried_run')
    .all();
  return new Map(rows.map(({ run, next, last }) => [run, { ri: next, rp: last.toString('hex') }]));
}

/** The leaf that the first entry of the file follows. */
export function leafOfBase(db: Database): string {
  const leaf = db.prepare<[], Buffer>('SELECT leaf FROM base').pluck().get();
  if (leaf === undefined) throw new Error('there is no base');
  return leaf.toString('hex');
}

function advance(tips: Map<number, { ri: number; rp: string }>, run: number | null, leaf: string): void {
  tips.set(run ?? 0, { ri: (tips.get(run ?? 0)?.ri ?? 0) + 1, rp: leaf });
}

function chain(
  db: Database,
  from: number,
  bodyOf: (row: Row) => string,
  then: (row: Row, leaf: string) => void = () => undefined,
): void {
  let leaf = leafBefore(db, from);
  const rows = db
    .prepare<[number], Row>('SELECT seq, run, body, hash FROM entry WHERE seq >= ? ORDER BY seq')
    .all(from);
  const update = db.prepare('UPDATE entry SET body = ?, hash = ? WHERE seq = ?');
  db.transaction(() => {
    for (const row of rows) {
      const body = bodyOf(row);
      leaf = sha256Hex(preimage(LEDGER_ID, row.seq, leaf, body));
      update.run(body, Buffer.from(leaf, 'hex'), row.seq);
      then(row, leaf);
    }
  })();
}

function leafBefore(db: Database, seq: number): string {
  const before = db
    .prepare<[number], Buffer>('SELECT hash FROM entry WHERE seq < ? ORDER BY seq DESC LIMIT 1')
    .pluck();
  const hash = before.get(seq);
  return hash === undefined ? leafOfBase(db) : hash.toString('hex');
}

/** Moves entry `from` and all after it by `by`, with everything that refers to them. */
export function shift(db: Database, from: number, by: 1 | -1): void {
  const order = by === 1 ? 'DESC' : 'ASC';
  const seqs = db
    .prepare<[number], number>(`SELECT seq FROM entry WHERE seq >= ? ORDER BY seq ${order}`)
    .pluck()
    .all(from);
  const move = db.prepare('UPDATE entry SET seq = seq + ? WHERE seq = ?');
  const blobs = db.prepare('UPDATE blob SET id = id + 64 * ? WHERE id BETWEEN ? AND ?');
  const referrers = db.prepare<[number], { seq: number; ref: number; body: string }>(
    `SELECT seq, ref, body FROM entry WHERE ref >= ? ORDER BY ref ${order}`,
  );
  const refer = db.prepare('UPDATE entry SET ref = ?, body = ? WHERE seq = ?');
  db.transaction(() => {
    for (const seq of seqs) {
      move.run(by, seq);
      blobs.run(by, ...blobIds(seq));
    }
    db.prepare('UPDATE seen SET seq = seq + ? WHERE seq >= ?').run(by, from);
    for (const { seq, ref, body } of referrers.all(from)) {
      const at = body.lastIndexOf(',"ref":');
      refer.run(
        ref + by,
        body.slice(0, at) + body.slice(at).replace(`,"ref":${ref},`, `,"ref":${ref + by},`),
        seq,
      );
    }
  })();
}

/** A row that fits in every way, as far as hashes go. */
export interface NewRow {
  readonly kind: number;
  readonly type: string;
  readonly data?: string;
  readonly code?: { readonly number: number; readonly name: string };
  readonly run?: number;
  readonly tool?: number;
  readonly ref?: number;
  readonly ts?: number;
}

/** Appends one; gives its seq. */
export function appendRow(db: Database, row: NewRow): number {
  const { seq, hash } = db
    .prepare<[], { seq: number; hash: Buffer }>('SELECT seq, hash FROM entry ORDER BY seq DESC LIMIT 1')
    .get() ?? { seq: 0, hash: Buffer.alloc(32) };
  const { run = null, tool = null, ref = null, ts = 1_780_000_000_000, data = '{}', code } = row;
  const own = db
    .prepare<[number | null, number | null], { count: number; hash: Buffer | null }>(
      'SELECT count(*) AS count, (SELECT hash FROM entry WHERE run IS ? ORDER BY seq DESC LIMIT 1) AS hash FROM entry WHERE run IS ?',
    )
    .get(run, run) ?? { count: 0, hash: null };
  const carried = tipsBefore(db).get(run ?? 0);
  const ri = own.count + (carried?.ri ?? 0);
  const rp = own.hash?.toString('hex') ?? carried?.rp ?? NO_LEAF;
  const name = (id: number | null): string | null =>
    id === null
      ? null
      : (db.prepare<[number], string>('SELECT name FROM dict WHERE id = ?').pluck().get(id) ?? null);
  const link = `"ri":${ri},"rp":"${rp}"`;
  const body =
    `{"code":${code === undefined ? null : `"${code.name}"`},"data":${data},"ref":${ref},${link},` +
    `"run_id":${name(run)},"tool":${name(tool)},"ts":${ts},"type":"${row.type}","v":1}`;
  const leaf = sha256Hex(preimage(LEDGER_ID, seq + 1, hash.toString('hex'), body));
  db.prepare('INSERT INTO entry VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)').run(
    seq + 1,
    ts,
    run,
    ref,
    row.kind,
    code?.number ?? 0,
    tool,
    body,
    Buffer.from(leaf, 'hex'),
  );
  return seq + 1;
}
