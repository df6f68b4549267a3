import type { AuditEntry } from '@subluminal/core-types';
import type { Database, Statement } from 'better-sqlite3';
import { KINDS } from '../entry/kinds.js';
import { expiredUpTo } from '../expiry/stored.js';
import type { Base } from '../segments/base.js';
import { markOf } from '../lookup/marks.js';
import { NO_INDEX, type Narrowing, type Sought } from '../lookup/ledger-index.js';
import { BLOBS_AN_ENTRY, blobIds } from '../schema/ddl.js';
import { AUDIT_COLUMNS, AUDIT_ROWS } from '../schema/views.js';
import { DICT_KINDS, dictKindOfTool } from '../store/dictionary.js';
import type { OpenFile } from './open-file.js';
import { ROW_COLUMNS, toRow, type LedgerRow, type StoredRow } from './row.js';

/** A piece of a listing: entries on the far side of `cursor`, in one direction. */
export interface Slice {
  readonly ascending: boolean;
  readonly cursor: number;
  readonly limit: number;
}

/** A condition on entries, with its parameters. */
export interface Condition {
  readonly where: string;
  readonly params: readonly (number | string)[];
  /** The part of it that the index knows; everything is looked through, unless given. */
  readonly sought?: Sought;
}

/** How many entries of one kind and code a run has. */
export interface CountRow {
  readonly kind: number;
  readonly code: number;
  readonly count: number;
}

/** An entry of a run that says something of its limits. */
export interface LimitRow {
  readonly seq: number;
  readonly kind: number;
  readonly code: number;
  readonly ref: number | null;
  readonly ts: number;
  /** The call that a decision or an end is on. */
  readonly call: string | null;
  /** How long a call took, of an end. */
  readonly latency: number | null;
  /** The member `facts` of its data, as JSON. */
  readonly facts: string | null;
}

/** A row of the audit trail; `metadata` as text. */
export type AuditRow = Omit<AuditEntry, 'metadata'> & {
  readonly metadata: string;
  /**
   * The entry before this file that an answer refers to: the view does not see it. Null where it refers to
   * none.
   */
  readonly before: number | null;
};

/** An entry as it is hashed. */
export interface RawRow {
  readonly seq: number;
  /** The leaf before it. */
  readonly prev: string;
  readonly body: string;
  readonly leaf: string;
}

interface StoredRaw {
  readonly seq: number;
  readonly body: string;
  readonly hash: Buffer;
  readonly prev: Buffer | null;
}

const RARE_KINDS = 'kind NOT IN (2,3,4,20,21)';
const COMMON_KINDS: ReadonlySet<number> = new Set([2, 3, 4, 20, 21]);
const NO_CALL = 'kind NOT IN (2,3,4)';
const OF_RUN = 'run = (SELECT id FROM dict WHERE kind = 1 AND name = ?)';
const CALL_START = `kind = 2 AND instr(body, ?) > 0 AND body->>'$.data.call.call_id' = ?`;
const RARE_OF_RUN = `SELECT ${ROW_COLUMNS} FROM entry WHERE kind = ? AND ${RARE_KINDS} AND ${OF_RUN} ORDER BY seq LIMIT 1`;
const RAW_OF_RUN = `SELECT e.seq AS seq, e.body AS body, e.hash AS hash, p.hash AS prev
  FROM entry e INDEXED BY e_run LEFT JOIN entry p ON p.seq = e.seq - 1
  WHERE e.run = ? AND e.seq > ? AND e.seq <= ? ORDER BY e.seq LIMIT ?`;
const RAW_BETWEEN = `SELECT e.seq AS seq, e.body AS body, e.hash AS hash, p.hash AS prev
  FROM entry e LEFT JOIN entry p ON p.seq = e.seq - 1 WHERE e.seq BETWEEN ? AND ? ORDER BY e.seq`;
const UPSTREAM = `SELECT ${ROW_COLUMNS} FROM entry WHERE kind = 30 AND ${RARE_KINDS} AND ${OF_RUN}
  AND body->>'$.data.shim_id' = ? ORDER BY seq DESC LIMIT 1`;
const RUNS_DECIDING = `SELECT DISTINCT d.name FROM entry e JOIN dict d ON d.id = e.run AND d.kind = ${DICT_KINDS.run}
  WHERE e.seq BETWEEN ? AND ? AND e.ts >= ? AND +e.kind = ${KINDS.tool_call_decision}`;
const COUNTS = `SELECT kind, code, count(*) AS count FROM entry INDEXED BY e_run
  WHERE run = ? AND seq BETWEEN ? AND ? GROUP BY kind, code`;
/** Ids that share all but their last eight characters are one series. */
const SERIES = `WITH call AS MATERIALIZED (
    SELECT seq, body->>'$.data.call.call_id' AS id FROM entry INDEXED BY e_run
    WHERE run = ? AND seq BETWEEN ? AND ? AND +kind = 2)
  SELECT max(id) AS id, min(seq) AS seq FROM call WHERE typeof(id) = 'text'
  GROUP BY substr(id, 1, max(0, length(id) - 8))`;

/** The view `audit_log` as this version has it: closed files keep the one that they were made with. */
const AUDITED = `SELECT ${AUDIT_COLUMNS}, iif(e.ref <= ?, e.ref, NULL) AS before
${AUDIT_ROWS} AND e.seq > ? ORDER BY e.seq LIMIT ?`;

const LIMIT_COLUMNS = `seq, kind, code, ref, ts, iif(kind IN (3,4), body->>'$.data.call.call_id', NULL) AS call`;
const HAS_FACTS = `instr(body, '"facts":{') > 0`;
/** Decisions, ends and spools with facts, waivers, and policies that were asked again. */
const LIMITS = `SELECT ${LIMIT_COLUMNS}, NULL AS latency, iif(${HAS_FACTS}, body->'$.data.facts', NULL) AS facts
  FROM entry INDEXED BY e_run
  WHERE run = ? AND seq BETWEEN ? AND ? AND (+kind IN (7,11) OR (+kind IN (3,4,15) AND ${HAS_FACTS})) ORDER BY seq`;
const PLAIN_ENDS = `SELECT ${LIMIT_COLUMNS}, body->>'$.data.latency_ms' AS latency, NULL AS facts
  FROM entry INDEXED BY e_run
  WHERE run = ? AND seq BETWEEN ? AND ? AND +kind = 4 AND NOT ${HAS_FACTS} ORDER BY seq`;
const OF_CALL = `SELECT ${ROW_COLUMNS} FROM entry WHERE kind = ? AND ${RARE_KINDS} AND ${OF_RUN}
  AND body->>'$.data.call.call_id' = ? ORDER BY seq DESC LIMIT 1`;

/**
 * One file of a ledger and the questions that it answers by itself. Numbers of names differ from file to
 * file.
 */
export class OneFile {
  readonly db: Database;
  readonly base: Base;
  /** The last entry of a closed file; undefined for the newest. */
  readonly end: number | undefined;

  readonly #index: Narrowing;

  /** Statements are prepared when they are first needed: most files are asked little. */
  constructor({ db, base, end }: OpenFile, index: Narrowing = NO_INDEX) {
    this.db = db;
    this.end = end;
    this.base = base;
    this.#index = index;
  }

  /** Rows of the audit trail behind an entry. */
  audited(after: number, limit: number): AuditRow[] {
    const rows = this.db.prepare<[number, number, number], AuditRow>(AUDITED);
    return rows.all(this.base.seq, after, limit);
  }

  /** Its newest entry, or the last one before it. */
  get size(): number {
    return this.db.prepare<[], number | null>('SELECT max(seq) FROM entry').pluck().get() ?? this.base.seq;
  }

  /** Previews that are there. */
  get previews(): number {
    return this.db.prepare<[], number>('SELECT count(*) FROM blob').pluck().get() ?? 0;
  }

  /** The first entry that has kept a preview; null where none has. */
  get firstPreview(): number | null {
    const first = `SELECT min(id)/${BLOBS_AN_ENTRY} FROM blob`;
    return this.db.prepare<[], number | null>(first).pluck().get() ?? null;
  }

  /** What its newest expiry says, 0 where it holds none. */
  get expiredUpTo(): number {
    return expiredUpTo(this.db);
  }

  entry(seq: number): LedgerRow | undefined {
    return asRow(this.#statement('seq = ?').get(seq, 1));
  }

  referring(seq: number): LedgerRow | undefined {
    return asRow(this.#statement('ref = ?').get(seq, 1));
  }

  /** Entries on one side of a cursor: along the entries, within the ranges that the index leaves. */
  slice({ where, params, sought }: Condition, { ascending, cursor, limit }: Slice): LedgerRow[] {
    const first = Math.max(this.base.seq + 1, ascending ? cursor + 1 : 0);
    const last = Math.min(this.size, ascending ? Number.MAX_SAFE_INTEGER : cursor - 1);
    if (first > last) return [];
    const ranges = sought === undefined ? [[first, last] as const] : this.#index.ranges(sought, first, last);
    const rows: LedgerRow[] = [];
    const statement = this.#statement(`${where} AND seq BETWEEN ? AND ?`, ascending ? 'ASC' : 'DESC');
    for (const [from, to] of ascending ? ranges : ranges.toReversed()) {
      rows.push(...statement.all(...params, from, to, limit - rows.length).map(toRow));
      if (rows.length >= limit) break;
    }
    return rows;
  }

  /** The entries of a run. `run`: JSON text of its id. */
  ofRun(run: string, slice: Slice): LedgerRow[] {
    const id = this.numberOf(DICT_KINDS.run, run);
    return id === undefined ? [] : this.slice({ where: 'run = ?', params: [id] }, slice);
  }

  /** The entries of a tool or an action, by its JSON text. */
  ofTool(name: string, slice: Slice): LedgerRow[] {
    const id = this.numberOf(dictKindOfTool(name), name);
    const sought = { marks: [markOf('tool', name)] };
    return id === undefined ? [] : this.slice({ where: '+tool = ?', params: [id], sought }, slice);
  }

  /**
   * The entries of a run behind `after` up to `upTo`, oldest first, as they are hashed. `run`: JSON text of
   * its id.
   */
  rawOfRun(run: string, after: number, upTo: number, limit: number): RawRow[] {
    const number = this.numberOf(DICT_KINDS.run, run);
    if (number === undefined) return [];
    const rows = this.db.prepare<[number, number, number, number], StoredRaw>(RAW_OF_RUN);
    return rows.all(number, after, upTo, limit).map(({ seq, body, hash, prev }) => ({
      seq,
      body,
      leaf: hash.toString('hex'),
      prev: prev?.toString('hex') ?? this.base.leaf,
    }));
  }

  /** The entries `from` to `to`, as they are hashed. */
  rawBetween(from: number, to: number): RawRow[] {
    return this.db
      .prepare<[number, number], StoredRaw>(RAW_BETWEEN)
      .all(from, to)
      .map(({ seq, body, hash, prev }) => ({
        seq,
        body,
        leaf: hash.toString('hex'),
        prev: prev?.toString('hex') ?? this.base.leaf,
      }));
  }

  inTime(fromMs: number, toMs: number, slice: Slice): LedgerRow[] {
    return this.slice(
      { where: 'ts BETWEEN ? AND ?', params: [fromMs, toMs], sought: { fromMs, toMs } },
      slice,
    );
  }

  /** The entries that claimed a request id, of whichever run. */
  claims(id: string): number[] {
    return this.db
      .prepare<[string], number>('SELECT seq FROM seen WHERE id = ? ORDER BY seq LIMIT 1000')
      .pluck()
      .all(id);
  }

  /** The entry that claimed a request id of a run. `run`: JSON text of its id, null for the gateway's own. */
  claimed(run: string | null, id: string): number | undefined {
    const number = run === null ? 0 : this.numberOf(DICT_KINDS.run, run);
    if (number === undefined) return undefined;
    return this.db
      .prepare<[string, number], number>('SELECT seq FROM seen WHERE id=? AND run=?')
      .pluck()
      .get(id, number);
  }

  /** The newest start of a call with that id. */
  callStart(callId: string): LedgerRow | undefined {
    const params = [JSON.stringify(callId), callId];
    const sought = { marks: [markOf('call', callId)] };
    const newest = { ascending: false, cursor: Number.MAX_SAFE_INTEGER, limit: 1 };
    return this.slice({ where: CALL_START, params, sought }, newest)[0];
  }

  /** The runs, as JSON texts of their ids, with a decided call of that time or later. */
  runsDeciding(sinceMs: number): string[] {
    const find = this.db.prepare<[number, number, number], string>(RUNS_DECIDING).pluck();
    const ranges = this.#index.ranges({ fromMs: sinceMs }, this.base.seq + 1, this.size);
    return ranges.flatMap(([first, last]) => find.all(first, last, sinceMs));
  }

  /** The first entry of a rare kind that a run has. `run`: JSON text of its id. */
  rareOfRun(kind: number, run: string): LedgerRow | undefined {
    return asRow(this.db.prepare<[number, string], StoredRow>(RARE_OF_RUN).get(kind, run));
  }

  /** The newest start of a shim's server in a run. */
  upstream(run: string, shimId: string): LedgerRow | undefined {
    return asRow(this.db.prepare<[string, string], StoredRow>(UPSTREAM).get(run, shimId));
  }

  /** The text of a blob, or null where it was dropped. */
  blob(seq: number, slot: string): string | null {
    return this.saltedBlob(seq, slot)?.data.toString('utf8') ?? null;
  }

  /** A blob with its salt, or null where it was dropped. */
  saltedBlob(seq: number, slot: string): { readonly salt: Buffer; readonly data: Buffer } | null {
    const find = this.db.prepare<[number, number, string], { salt: Buffer; data: Buffer }>(
      'SELECT salt, data FROM blob WHERE id BETWEEN ? AND ? AND slot = ?',
    );
    return find.get(...blobIds(seq), slot) ?? null;
  }

  /** The texts of one slot that the entries `from` to `to` still have, by entry. */
  blobsBetween(from: number, to: number, slot: string): readonly (readonly [number, string])[] {
    return this.db
      .prepare<[number, number, string], { seq: number; data: Buffer }>(
        'SELECT seq, data FROM blob WHERE id BETWEEN ? AND ? AND slot = ?',
      )
      .all(blobIds(from)[0], blobIds(to)[1], slot)
      .map(({ seq, data }) => [seq, data.toString('utf8')]);
  }

  /** The number of a name here; undefined where it has none. */
  numberOf(kind: number, name: string): number | undefined {
    return this.db
      .prepare<[number, string], number>('SELECT id FROM dict WHERE kind=? AND name=?')
      .pluck()
      .get(kind, name);
  }

  /** Whether there is an entry of that kind. */
  holdsKind(kind: number): boolean {
    const first = { ascending: true, cursor: 0, limit: 1 };
    return this.slice(ofKind(kind), first).length > 0;
  }

  /** The greatest `ts` of all that are no calls; 0 where there is none. */
  get newestTs(): number {
    const find = `SELECT max(ts) FROM entry INDEXED BY e_ts WHERE ${NO_CALL}`;
    return this.db.prepare<[], number | null>(find).pluck().get() ?? 0;
  }

  /** Entries up to `upTo` of an action, whose `ts` is not less than `since`; newest first. */
  actionSince(action: string, since: number, upTo: number): LedgerRow[] {
    const id = this.numberOf(DICT_KINDS.action, action);
    return id === undefined ? [] : this.#since('tool = ?', id, since, upTo);
  }

  /** The same of a kind that is none of a call. */
  kindSince(kind: number, since: number, upTo: number): LedgerRow[] {
    return this.#since('kind = ?', kind, since, upTo);
  }

  /** Whether a run goes on here: it was carried on into this file or has entries in it, and none ends it. */
  goesOn(run: string): boolean {
    const number = this.numberOf(DICT_KINDS.run, run);
    if (number === undefined) return false;
    const last = this.db
      .prepare<[number], number>(
        'SELECT kind FROM entry INDEXED BY e_run WHERE run = ? ORDER BY seq DESC LIMIT 1',
      )
      .pluck()
      .get(number);
    return last === undefined ? this.carries(number) : last !== KINDS.run_end;
  }

  /** Whether a run with that number began in an older file. */
  carries(run: number): boolean {
    if (this.base.segment === 1) return false;
    const carried = this.db.prepare<[number], number>('SELECT 1 FROM carried_run WHERE run = ?').pluck();
    return carried.get(run) !== undefined;
  }

  /** The first entry behind `after` of the run with that number. */
  firstOf(run: number, after: number): number | undefined {
    const find = 'SELECT seq FROM entry INDEXED BY e_run WHERE run = ? AND seq > ? ORDER BY seq LIMIT 1';
    return this.db.prepare<[number, number], number>(find).pluck().get(run, after);
  }

  /** How many entries of each kind and code the run with that number has behind `after` up to `upTo`. */
  counts(run: number, after: number, upTo: number): CountRow[] {
    return this.db.prepare<[number, number, number], CountRow>(COUNTS).all(run, after + 1, upTo);
  }

  /**
   * The call ids that begin there, as the greatest of each series; an id is what the body has in its place.
   */
  series(run: number, after: number, upTo: number): { readonly id: string; readonly seq: number }[] {
    return this.db
      .prepare<[number, number, number], { id: string; seq: number }>(SERIES)
      .all(run, after + 1, upTo);
  }

  /**
   * The entries behind `after`, up to `upTo`, in which the run with that number says something of its limits,
   * but for ends without facts.
   */
  limitRows(run: number, after: number, upTo: number): LimitRow[] {
    return this.db.prepare<[number, number, number], LimitRow>(LIMITS).all(run, after + 1, upTo);
  }

  /** The ends without facts. */
  plainEnds(run: number, after: number, upTo: number): LimitRow[] {
    return this.db.prepare<[number, number, number], LimitRow>(PLAIN_ENDS).all(run, after + 1, upTo);
  }

  /** The newest entry of a rare kind that speaks of a call of a run. `run`: JSON text of its id. */
  ofCall(kind: number, run: string, callId: string): LedgerRow | undefined {
    return asRow(this.db.prepare<[number, string, string], StoredRow>(OF_CALL).get(kind, run, callId));
  }

  /** The leaf of an entry, or of the last one before this file. */
  leafOf(seq: number): string {
    if (seq === this.base.seq) return this.base.leaf;
    const hash = this.db.prepare<[number], Buffer>('SELECT hash FROM entry WHERE seq = ?').pluck().get(seq);
    return hash?.toString('hex') ?? '';
  }

  /** By the ledger's own index, which a verification checks: limits are counted by this after a restart. */
  #since(where: string, value: number, since: number, upTo: number): LedgerRow[] {
    const find = `SELECT ${ROW_COLUMNS} FROM entry INDEXED BY e_ts
      WHERE ${NO_CALL} AND ts >= ? AND +${where} AND seq <= ? ORDER BY seq DESC`;
    return this.db.prepare<[number, number, number], StoredRow>(find).all(since, value, upTo).map(toRow);
  }

  #statement(where: string, order: 'ASC' | 'DESC' = 'ASC'): Statement<(number | string)[], StoredRow> {
    const sql = `SELECT ${ROW_COLUMNS} FROM entry WHERE ${where} ORDER BY seq ${order} LIMIT ?`;
    return this.db.prepare<(number | string)[], StoredRow>(sql);
  }
}

/** Entries of a kind: a rare one has an index in the ledger. */
export function ofKind(kind: number): Condition {
  return COMMON_KINDS.has(kind)
    ? { where: `+kind = ${kind}`, params: [], sought: { marks: [markOf('kind', kind)] } }
    : { where: `kind = ${kind} AND ${RARE_KINDS}`, params: [] };
}

function asRow(stored: StoredRow | undefined): LedgerRow | undefined {
  return stored === undefined ? undefined : toRow(stored);
}
