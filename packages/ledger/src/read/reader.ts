import type { Database, Statement } from 'better-sqlite3';
import { canonicalize, SublError, type JsonObject } from '@subluminal/core-types';
import { KINDS, numbersOfCode, type CodeName, type EntryType } from '../entry/kinds.js';
import { expiredUpTo } from '../expiry/stored.js';
import { openReadOnly } from '../schema/connection.js';
import { DICT_KINDS } from '../store/dictionary.js';
import { loadGenesis } from '../store/open-store.js';
import type { Genesis } from '../genesis/record.js';
import { RunTally, type RunCount } from './run-tally.js';
import { Related, type CallRows, type RunRows } from './related.js';
import { renderEvent } from './event.js';
import { Outcomes, type SeenOutcome } from './outcomes.js';
import { ROW_COLUMNS, toRow, type LedgerRow, type StoredRow } from './row.js';

/** One page of a listing. */
export interface Page<T> {
  readonly rows: readonly T[];
  /** Pass it back as `cursor` for the next page; null at the end. */
  readonly next: number | null;
}

/** How to page. `cursor` is the `next` of the page before. */
export interface PageOptions {
  readonly cursor?: number | null;
  /** Rows a page, 1 to 1,000; 100 unless given. */
  readonly limit?: number;
  /** Newest first unless `asc`. */
  readonly order?: 'asc' | 'desc';
}

/** A condition on entries, with its parameters. */
interface Condition {
  readonly where: string;
  readonly params: readonly (number | string)[];
}

/** Where the entries of a time range begin and end; null where there are none. */
interface Span {
  readonly first: number | null;
  readonly last: number | null;
}

const NOTHING: Span = { first: null, last: null };
const RARE_CODES = 'code NOT IN (0,1,10,20,21)';
const RARE_KINDS = 'kind NOT IN (2,3,4,20,21)';
const COMMON_CODES: ReadonlySet<number> = new Set([0, 1, 10, 20, 21]);
const COMMON_KINDS: ReadonlySet<number> = new Set([2, 3, 4, 20, 21]);

/**
 * Reads a ledger over a read-only connection; it works while a gateway writes. Every listing is paged. Reading proves
 * nothing: see `verifyLedger`.
 */
export class LedgerReader {
  readonly genesis: Genesis;
  readonly #db: Database;
  readonly #outcomes: Outcomes;
  readonly #related: Related;
  readonly #tally: RunTally;
  readonly #dict: Statement<[number, string], number>;
  readonly #span: Statement<[number, number], Span>;
  readonly #statements = new Map<string, Statement<(number | string)[], StoredRow>>();

  constructor(path: string) {
    this.#db = openReadOnly(path);
    try {
      this.genesis = loadGenesis(this.#db, path);
      this.#outcomes = new Outcomes(this.#db);
      this.#related = new Related(this.#db);
      this.#tally = new RunTally(this.#db);
      this.#dict = this.#db
        .prepare<[number, string], number>('SELECT id FROM dict WHERE kind=? AND name=?')
        .pluck();
      this.#span = this.#db.prepare(
        'SELECT min(seq) AS first, max(seq) AS last FROM entry INDEXED BY e_ts WHERE ts BETWEEN ? AND ?',
      );
    } catch (error) {
      this.#db.close();
      throw error instanceof SublError ? error : notALedger(path, error);
    }
  }

  /** One entry, or undefined. */
  entry(seq: number): LedgerRow | undefined {
    const stored = this.#statement('seq = ?', 'ASC').get(seq, 1);
    return stored === undefined ? undefined : toRow(stored);
  }

  /** The newest seq; 0 in an empty ledger. */
  get size(): number {
    return this.#db.prepare<[], number>('SELECT coalesce(max(seq),0) FROM entry').pluck().get() ?? 0;
  }

  /** All entries. */
  all(page: PageOptions = {}): Page<LedgerRow> {
    return this.#page({ where: '1', params: [] }, page);
  }

  /** The newest entries. */
  recent(limit = 100): LedgerRow[] {
    return [...this.#page({ where: '1', params: [] }, { limit }).rows];
  }

  /** Entries from `seq` on, oldest first: the way to follow a growing ledger. */
  tailFrom(seq: number, limit = 100): Page<LedgerRow> {
    return this.#page({ where: 'seq >= ?', params: [seq] }, { limit, order: 'asc' });
  }

  /** Entries whose `ts` lies in `fromMs` … `toMs`, both included. */
  byTimeRange(fromMs: number, toMs: number, page: PageOptions = {}): Page<LedgerRow> {
    const { first, last } = this.#span.get(fromMs, toMs) ?? NOTHING;
    if (first === null || last === null) return { rows: [], next: null };
    // Along the entries, not along the index: that would sort a whole week, bodies included, for each page of it.
    const where = '+ts BETWEEN ? AND ? AND seq BETWEEN ? AND ?';
    return this.#page({ where, params: [fromMs, toMs, first, last] }, page);
  }

  /** Entries of a run; null for the gateway's own. */
  byRun(runId: string | null, page: PageOptions = {}): Page<LedgerRow> {
    if (runId === null) return this.#page({ where: 'run IS NULL', params: [] }, page);
    return this.#byName(DICT_KINDS.run, runId, 'run = ?', page);
  }

  /** How many entries of each type and code a run has. */
  runCounts(runId: string): RunCount[] {
    return this.#tally.counts(canonicalize(runId));
  }

  /** The ids of a run's calls, in the order in which they began. */
  runCallIds(runId: string): Iterable<string> {
    return this.#tally.callIds(canonicalize(runId));
  }

  /** Entries of an action such as `service.api_call`. */
  byAction(action: string, page: PageOptions = {}): Page<LedgerRow> {
    return this.#byName(DICT_KINDS.action, action, 'tool = ?', page);
  }

  /** Entries of one tool of one server. */
  byTool(server: string, tool: string, page: PageOptions = {}): Page<LedgerRow> {
    return this.#byName(DICT_KINDS.tool, [server, tool], 'tool = ?', page);
  }

  /** Entries with that decision, such as `BLOCK`. */
  byDecision(decision: CodeName, page: PageOptions = {}): Page<LedgerRow> {
    return this.#byCode(decision, page);
  }

  /** Entries with that status, of a call, an action or a run. */
  byStatus(status: CodeName, page: PageOptions = {}): Page<LedgerRow> {
    return this.#byCode(status, page);
  }

  /** Entries of one type. */
  byType(type: EntryType, page: PageOptions = {}): Page<LedgerRow> {
    const kind = KINDS[type];
    const where = COMMON_KINDS.has(kind) ? `+kind = ${kind}` : `kind = ${kind} AND ${RARE_KINDS}`;
    return this.#page({ where, params: [] }, page);
  }

  /** Every entry that claimed a request id (ids are unique in a run only) or reports on one that did. */
  byRequest(id: string): LedgerRow[] {
    return this.#db
      .prepare<[string, string], StoredRow>(
        `SELECT ${ROW_COLUMNS} FROM entry WHERE seq IN (SELECT seq FROM seen WHERE id = ?)
        OR ref IN (SELECT seq FROM seen WHERE id = ?) ORDER BY seq LIMIT 1000`,
      )
      .all(id, id)
      .map(toRow);
  }

  /** The recorded outcome of a request id of a run, or null. */
  seenOutcome(runId: string | null, id: string): SeenOutcome | null {
    return this.#outcomes.seen(runId, id);
  }

  /** The entry that refers to `seq`, or undefined: at most one can. */
  referring(seq: number): LedgerRow | undefined {
    return this.#related.referring(seq);
  }

  /**
   * The newest tool call with that id and its previews. Looks through the ledger from its end, in the worst case (an id
   * that is not there) to its start.
   */
  call(callId: string): CallRows | undefined {
    return this.#related.call(callId);
  }

  /** Runs by their start, newest first unless `asc`. */
  runs(page: PageOptions = {}): Page<RunRows> {
    const { rows, next } = this.byType('run_start', page);
    const runs = rows.flatMap((start) => {
      if (start.runId === null) return [];
      return [{ runId: start.runId, start, end: this.#related.runEnd(start.runId) ?? null }];
    });
    return { rows: runs, next };
  }

  /** The text of a blob, or null where it was dropped. */
  blob(seq: number, slot: string): string | null {
    return this.#related.blob(seq, slot);
  }

  /** How many previews are there. */
  keptPreviews(): number {
    return this.#db.prepare<[], number>('SELECT count(*) FROM blob').pluck().get() ?? 0;
  }

  /** The last entry whose previews have expired, 0 while none has. */
  expiredUpTo(): number {
    return expiredUpTo(this.#db);
  }

  /** The entry as an event of Contract A (Interface Pack §1.3–1.8), or null where it belongs to no run. */
  toEvent(row: LedgerRow): JsonObject | null {
    return renderEvent(row, {
      runStart: (runId) => this.#related.runStart(runId),
      upstream: (runId, shimId) => this.#related.upstream(runId, shimId),
      blob: (seq, slot) => this.#related.blob(seq, slot),
    });
  }

  close(): void {
    this.#db.close();
  }

  #byName(kind: number, name: unknown, where: string, page: PageOptions): Page<LedgerRow> {
    const id = this.#dict.get(kind, canonicalize(name));
    return id === undefined ? { rows: [], next: null } : this.#page({ where, params: [id] }, page);
  }

  #byCode(code: CodeName, page: PageOptions): Page<LedgerRow> {
    const numbers = numbersOfCode(code);
    const rare = numbers.every((number) => !COMMON_CODES.has(number));
    const list = numbers.join(',');
    return this.#page(
      { where: rare ? `code IN (${list}) AND ${RARE_CODES}` : `+code IN (${list})`, params: [] },
      page,
    );
  }

  #page(condition: Condition, page: PageOptions): Page<LedgerRow> {
    const ascending = page.order === 'asc';
    const limit = Math.min(1000, Math.max(1, Math.trunc(page.limit ?? 100)));
    const cursor = page.cursor ?? (ascending ? 0 : Number.MAX_SAFE_INTEGER);
    const where = `${condition.where} AND seq ${ascending ? '>' : '<'} ?`;
    const stored = this.#statement(where, ascending ? 'ASC' : 'DESC').all(
      ...condition.params,
      cursor,
      limit + 1,
    );
    const rows = stored.slice(0, limit).map(toRow);
    return { rows, next: stored.length > limit ? (rows.at(-1)?.seq ?? null) : null };
  }

  #statement(where: string, order: 'ASC' | 'DESC'): Statement<(number | string)[], StoredRow> {
    const sql = `SELECT ${ROW_COLUMNS} FROM entry WHERE ${where} ORDER BY seq ${order} LIMIT ?`;
    const prepared = this.#statements.get(sql) ?? this.#db.prepare<(number | string)[], StoredRow>(sql);
    this.#statements.set(sql, prepared);
    return prepared;
  }
}

/**
 * Opens a ledger for reading.
 *
 * @throws SublError `ledger_missing`, `ledger_corrupt` (not a ledger), `ledger_unsafe`.
 */
export function openLedgerReader(path: string): LedgerReader {
  return new LedgerReader(path);
}

function notALedger(path: string, cause: unknown): SublError {
  return new SublError('ledger_corrupt', `\`${path}\` is not a ledger of this version`, { cause });
}
