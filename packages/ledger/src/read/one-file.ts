import type { Database, Statement } from 'better-sqlite3';
import { expiredUpTo } from '../expiry/stored.js';
import type { Base } from '../segments/base.js';
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
}

/** How many entries of one kind and code a run has. */
export interface CountRow {
  readonly kind: number;
  readonly code: number;
  readonly count: number;
}

/** Where the entries of a time range begin and end; null where there are none. */
interface Span {
  readonly first: number | null;
  readonly last: number | null;
}

const NOTHING: Span = { first: null, last: null };
const RARE_KINDS = 'kind NOT IN (2,3,4,20,21)';
const CALL_IDS = 1000;

/** One file of a ledger and the questions that it answers by itself. Numbers of names differ from file to file. */
export class OneFile {
  readonly db: Database;
  readonly base: Base;
  /** The last entry of a closed file; undefined for the newest. */
  readonly end: number | undefined;
  readonly #statements = new Map<string, Statement<(number | string)[], StoredRow>>();
  readonly #dict: Statement<[number, string], number>;
  readonly #span: Statement<[number, number], Span>;
  readonly #seen: Statement<[string, number], number>;
  readonly #claims: Statement<[string], number>;
  readonly #callStart: Statement<[string, string], StoredRow>;
  readonly #ofRun: Statement<[number, string], StoredRow>;
  readonly #upstreams: Statement<[string, string], StoredRow>;
  readonly #blob: Statement<[number, string], Buffer>;
  readonly #counts: Statement<[string], CountRow>;
  readonly #calls: Statement<[string, number], { readonly seq: number; readonly id: unknown }>;

  constructor({ db, base, end }: OpenFile) {
    this.db = db;
    this.end = end;
    this.base = base;
    const run = 'run = (SELECT id FROM dict WHERE kind = 1 AND name = ?)';
    this.#dict = db.prepare<[number, string], number>('SELECT id FROM dict WHERE kind=? AND name=?').pluck();
    this.#span = db.prepare(
      'SELECT min(seq) AS first, max(seq) AS last FROM entry INDEXED BY e_ts WHERE ts BETWEEN ? AND ?',
    );
    this.#seen = db.prepare<[string, number], number>('SELECT seq FROM seen WHERE id=? AND run=?').pluck();
    this.#claims = db
      .prepare<[string], number>('SELECT seq FROM seen WHERE id = ? ORDER BY seq LIMIT 1000')
      .pluck();
    // Newest first: a call that somebody asks for is mostly a recent one, and no index on ids has to be paid for.
    this.#callStart = db.prepare(
      `SELECT ${ROW_COLUMNS} FROM entry WHERE +kind = 2 AND instr(body, ?) > 0
      AND body->>'$.data.call.call_id' = ? ORDER BY seq DESC LIMIT 1`,
    );
    this.#ofRun = db.prepare(
      `SELECT ${ROW_COLUMNS} FROM entry WHERE kind = ? AND ${RARE_KINDS} AND ${run} ORDER BY seq LIMIT 1`,
    );
    this.#upstreams = db.prepare(
      `SELECT ${ROW_COLUMNS} FROM entry WHERE kind = 30 AND ${RARE_KINDS} AND ${run}
      AND body->>'$.data.shim_id' = ? ORDER BY seq DESC LIMIT 1`,
    );
    this.#blob = db
      .prepare<[number, string], Buffer>('SELECT data FROM blob WHERE seq = ? AND slot = ?')
      .pluck();
    this.#counts = db.prepare(
      `SELECT kind, code, count(*) AS count FROM entry INDEXED BY e_run WHERE ${run} GROUP BY kind, code`,
    );
    this.#calls = db.prepare(
      `SELECT seq, body->>'$.data.call.call_id' AS id FROM entry INDEXED BY e_run
      WHERE ${run} AND seq > ? AND +kind = 2 ORDER BY seq LIMIT ${CALL_IDS}`,
    );
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
    return this.db.prepare<[], number | null>('SELECT min(seq) FROM blob').pluck().get() ?? null;
  }

  /** What its newest expiry says, 0 where it holds none. */
  get expiredUpTo(): number {
    return expiredUpTo(this.db);
  }

  entry(seq: number): LedgerRow | undefined {
    return asRow(this.#statement('seq = ?', 'ASC').get(seq, 1));
  }

  referring(seq: number): LedgerRow | undefined {
    return asRow(this.#statement('ref = ?', 'ASC').get(seq, 1));
  }

  slice({ where, params }: Condition, { ascending, cursor, limit }: Slice): LedgerRow[] {
    const side = `${where} AND seq ${ascending ? '>' : '<'} ?`;
    const statement = this.#statement(side, ascending ? 'ASC' : 'DESC');
    return statement.all(...params, cursor, limit).map(toRow);
  }

  /** The entries that have a name: of a run, a tool or an action. `column = ?` is what compares its number. */
  named(kind: number, name: string, where: string, slice: Slice): LedgerRow[] {
    const id = this.#dict.get(kind, name);
    return id === undefined ? [] : this.slice({ where, params: [id] }, slice);
  }

  inTime(fromMs: number, toMs: number, slice: Slice): LedgerRow[] {
    const { first, last } = this.#span.get(fromMs, toMs) ?? NOTHING;
    if (first === null || last === null) return [];
    // Along the entries, not along the index: that would sort a whole week, bodies included, for each page of it.
    const where = '+ts BETWEEN ? AND ? AND seq BETWEEN ? AND ?';
    return this.slice({ where, params: [fromMs, toMs, first, last] }, slice);
  }

  /** The entries that claimed a request id, of whichever run. */
  claims(id: string): number[] {
    return this.#claims.all(id);
  }

  /** The entry that claimed a request id of a run. `run`: JSON text of its id, null for the gateway's own. */
  claimed(run: string | null, id: string): number | undefined {
    const number = run === null ? 0 : this.#dict.get(1, run);
    return number === undefined ? undefined : this.#seen.get(id, number);
  }

  /** The newest start of a call with that id. */
  callStart(callId: string): LedgerRow | undefined {
    return asRow(this.#callStart.get(JSON.stringify(callId), callId));
  }

  /** The first entry of a rare kind that a run has. `run`: JSON text of its id. */
  ofRun(kind: number, run: string): LedgerRow | undefined {
    return asRow(this.#ofRun.get(kind, run));
  }

  /** The newest start of a shim's server in a run. */
  upstream(run: string, shimId: string): LedgerRow | undefined {
    return asRow(this.#upstreams.get(run, shimId));
  }

  /** The text of a blob, or null where it was dropped. */
  blob(seq: number, slot: string): string | null {
    return this.#blob.get(seq, slot)?.toString('utf8') ?? null;
  }

  /** How many entries of each kind and code a run has here. */
  counts(run: string): CountRow[] {
    return this.#counts.all(run);
  }

  /** The calls of a run behind `after`, at most a thousand; an id is what the body has in its place. */
  calls(run: string, after: number): { readonly seq: number; readonly id: unknown }[] {
    return this.#calls.all(run, after);
  }

  #statement(where: string, order: 'ASC' | 'DESC'): Statement<(number | string)[], StoredRow> {
    const sql = `SELECT ${ROW_COLUMNS} FROM entry WHERE ${where} ORDER BY seq ${order} LIMIT ?`;
    const prepared = this.#statements.get(sql) ?? this.db.prepare<(number | string)[], StoredRow>(sql);
    this.#statements.set(sql, prepared);
    return prepared;
  }
}

function asRow(stored: StoredRow | undefined): LedgerRow | undefined {
  return stored === undefined ? undefined : toRow(stored);
}
