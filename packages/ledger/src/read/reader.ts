import { type AuditEntry, canonicalize, type JsonObject } from '@subluminal/core-types';
import { KINDS, numbersOfCode, type CodeName, type EntryType } from '../entry/kinds.js';
import { newestExpiry } from '../expiry/stored.js';
import type { Genesis } from '../genesis/record.js';
import type { ClosedSegment } from '../segments/closed.js';
import { LedgerIndex } from '../lookup/ledger-index.js';
import { markOf } from '../lookup/marks.js';
import { auditEntry } from './audit-entry.js';
import { callSteps, runsWithCallsSince, type CallStep, type CallStepsOptions } from './call-steps.js';
import { renderEvent } from './event.js';
import { LedgerFiles } from './files.js';
import { issuedHint, limitTrail, type LimitTrailEntry, type LimitTrailQuestion } from './limit-trail.js';
import { OneFile, ofKind, type Condition, type RawRow, type Slice } from './one-file.js';
import { Outcomes, type SeenOutcome } from './outcomes.js';
import { outline, type Outline, type OutlineQuestion } from './outline.js';
import type { MissingSegments } from './places.js';
import { Related, type CallRows, type RunRows } from './related.js';
import type { LedgerRow } from './row.js';
import { sweep, type SweepQuestion, type Swept } from './sweep.js';

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

const RAW_PAGE = 500;
const RAW_MOST = 1000;

/** Tells what of a file a listing is made of. */
type Listing = (file: OneFile, slice: Slice) => LedgerRow[];

/**
 * Reads a ledger over read-only connections; it works while a gateway writes. All files of the ledger are
 * read as one, newest and closed ones; where an older one is not there, listings end before it. Every listing
 * is paged. Reading proves nothing: see `verifyLedger`.
 */
export class LedgerReader {
  readonly genesis: Genesis;
  readonly #files: LedgerFiles<OneFile>;
  readonly #index: LedgerIndex;
  readonly #outcomes: Outcomes;
  readonly #related: Related;

  constructor(path: string) {
    this.#index = new LedgerIndex({
      path,
      ledger: () => this.genesis.fingerprint,
      leafOf: (seq) => (this.holds(seq) ? this.#files.holding(seq)?.leafOf(seq) : undefined),
    });
    this.#files = new LedgerFiles(path, (file) => new OneFile(file, this.#index));
    this.genesis = this.#files.genesis;
    this.#outcomes = new Outcomes(this.#files);
    this.#related = new Related(this.#files);
  }

  /**
   * One entry, or undefined. Throws `not_found`, with its name, where the file that holds it is not there.
   */
  entry(seq: number): LedgerRow | undefined {
    return this.#files.holding(seq)?.entry(seq);
  }

  /** Whether the file that holds an entry, or would, is there. */
  holds(seq: number): boolean {
    return this.#files.holds(seq);
  }

  /** The closed files, newest first: those that are there, and what is missing of them. */
  get closedFiles(): {
    readonly there: readonly ClosedSegment[];
    readonly missing: readonly MissingSegments[];
  } {
    const { chain, beyond, missing } = this.#files.places;
    return { there: [...chain, ...beyond], missing };
  }

  /** The newest seq; 0 in an empty ledger. */
  get size(): number {
    return this.#files.present.size;
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
    return this.#page({ where: '1', params: [] }, { limit, order: 'asc', cursor: Math.max(0, seq - 1) });
  }

  /** Entries whose `ts` lies in `fromMs` … `toMs`, both included. */
  byTimeRange(fromMs: number, toMs: number, page: PageOptions = {}): Page<LedgerRow> {
    return this.#list((file, slice) => file.inTime(fromMs, toMs, slice), page);
  }

  /** Entries of a run; null for the gateway's own. */
  byRun(runId: string | null, page: PageOptions = {}): Page<LedgerRow> {
    if (runId === null) return this.#page({ where: 'run IS NULL', params: [] }, page);
    const run = canonicalize(runId);
    return this.#list((file, slice) => file.ofRun(run, slice), page);
  }

  /**
   * The entries of a run up to `upTo`, oldest first, as they are hashed. Throws `not_found` where a file is
   * not there.
   */
  *rawOfRun(runId: string, upTo: number): Generator<RawRow> {
    const run = canonicalize(runId);
    let after = 0;
    for (let isMore = true; isMore;) {
      isMore = false;
      for (const file of this.#files.oldestFirst(after)) {
        const rows = file.rawOfRun(run, after, upTo, RAW_PAGE);
        if (rows.length === 0) continue;
        yield* rows;
        after = rows.at(-1)?.seq ?? after;
        isMore = true;
        break;
      }
    }
  }

  /**
   * Entries `from` to `to` as they are hashed, 1,000 at most. Throws `not_found` where a file is not there.
   */
  rawBetween(from: number, to: number): readonly RawRow[] {
    const last = Math.min(to, from + RAW_MOST - 1);
    const rows: RawRow[] = [];
    for (const file of this.#files.oldestFirst(from - 1)) {
      rows.push(...file.rawBetween(from, last));
      if ((rows.at(-1)?.seq ?? 0) >= last) break;
    }
    return rows;
  }

  /**
   * Entries behind one, by their columns alone: the quick way to count. All of them are of one file; `upto`
   * is `after` where nothing follows.
   */
  outline(question: OutlineQuestion): Outline {
    return outline(this.#files, question);
  }

  /**
   * Rows of the audit trail behind entry `after`, oldest first. Throws `not_found` where a file is missing.
   */
  *audited(after = 0): Generator<AuditEntry> {
    for (let from = after, isMore = true; isMore;) {
      isMore = false;
      for (const file of this.#files.oldestFirst(from)) {
        const rows = file.audited(from, RAW_PAGE);
        if (rows.length === 0) continue;
        for (const row of rows)
          yield auditEntry(row, (seq) => (this.holds(seq) ? this.entry(seq) : undefined));
        from = Number.parseInt(rows.at(-1)?.id ?? '', 10);
        isMore = true;
        break;
      }
    }
  }

  /**
   * A preview with the salt of its hash, or null where it was dropped. Throws `not_found` where its file is
   * not there.
   */
  saltedBlob(seq: number, slot: string): { readonly salt: Buffer; readonly data: Buffer } | null {
    return this.#files.holding(seq)?.saltedBlob(seq, slot) ?? null;
  }

  /** Counts runs and finds what is recent, in one walk through the files. */
  sweep(question: SweepQuestion): Swept {
    return sweep(this.#files, question);
  }

  /**
   * The entries of a run behind one that tell of its limits, oldest first. Throws `not_found` where a file is
   * not there.
   */
  limitTrail(question: LimitTrailQuestion): Generator<LimitTrailEntry> {
    return limitTrail(this.#files, question);
  }

  /** The newest hint that was given for a call of a run. */
  issuedHint(runId: string, callId: string): LedgerRow | undefined {
    return issuedHint(this.#files, runId, callId);
  }

  /** Entries of an action such as `service.api_call`. */
  byAction(action: string, page: PageOptions = {}): Page<LedgerRow> {
    return this.#ofTool(action, page);
  }

  /** Entries of one tool of one server. */
  byTool(server: string, tool: string, page: PageOptions = {}): Page<LedgerRow> {
    return this.#ofTool([server, tool], page);
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
    return this.#page(ofKind(KINDS[type]), page);
  }

  /** Every entry that claimed a request id (ids are unique in a run only) or reports on one that did. */
  byRequest(id: string): LedgerRow[] {
    return this.#outcomes.ofRequest(id, 1000);
  }

  /** The recorded outcome of a request id of a run, or null. */
  seenOutcome(runId: string | null, id: string): SeenOutcome | null {
    return this.#outcomes.seen(runId, id);
  }

  /**
   * How many actions and allowed calls have no result yet, and how many of them stand in files that are not
   * there: those can be closed only once they are.
   */
  openActions(): { readonly count: number; readonly elsewhere: number } {
    const open = this.#outcomes.open();
    return { count: open.length, elsewhere: open.filter((seq) => !this.#files.holds(seq)).length };
  }

  /** The entry that refers to `seq`, or undefined: at most one can. */
  referring(seq: number): LedgerRow | undefined {
    return this.#related.referring(seq);
  }

  /**
   * The newest tool call with that id and its previews. Looks through the ledger from its end, in the worst
   * case (an id that is not there) to its start.
   */
  call(callId: string): CallRows | undefined {
    return this.#related.call(callId);
  }

  /**
   * The life of runs and their calls, oldest first, in a bounded memory: what a decision can be made again
   * from.
   */
  callSteps(options: CallStepsOptions = {}): Iterable<CallStep> {
    return callSteps(this.#files, options);
  }

  /**
   * The runs with a decided call of that time or later, each with the entry that began it; 0 where that is
   * not there.
   */
  runsWithCallsSince(sinceMs: number): ReadonlyMap<string, number> {
    return runsWithCallsSince(this.#files, sinceMs);
  }

  /** Runs by their start, newest first unless `asc`. */
  runs(page: PageOptions = {}): Page<RunRows> {
    const { rows, next } = this.byType('run_start', page);
    const runs = rows.flatMap((start) => {
      if (start.runId === null) return [];
      return [{ runId: start.runId, start, end: this.#related.runEnd(start.runId, start.seq) ?? null }];
    });
    return { rows: runs, next };
  }

  /** The start of a run that has an entry `seq`; undefined where it is not there. */
  runStart(runId: string, seq: number): LedgerRow | undefined {
    return this.#related.runStart(runId, seq);
  }

  /** The text of a blob, or null where it was dropped. Throws `not_found` where its file is not there. */
  blob(seq: number, slot: string): string | null {
    return this.#related.blob(seq, slot);
  }

  /**
   * The texts of one slot that the entries `from` to `to`, 1,000 at most, still have, by entry: the quick way
   * to many. Those of a file that is not there are left out.
   */
  blobsBetween(from: number, to: number, slot: string): ReadonlyMap<number, string> {
    const last = Math.min(to, from + RAW_MOST - 1);
    const found = new Map<number, string>();
    for (const file of this.#files.oldestFirst(from - 1)) {
      for (const [seq, text] of file.blobsBetween(from, last, slot)) found.set(seq, text);
      if (file.size >= last) break;
    }
    return found;
  }

  /** How many previews are there. */
  keptPreviews(): number {
    let sum = 0;
    for (const { previews } of this.#files.newestFirst()) sum += previews;
    return sum;
  }

  /** The last entry whose previews have expired, 0 while none has. */
  expiredUpTo(): number {
    return newestExpiry(this.#files);
  }

  /** The entry as an event of Contract A, or null if it belongs to no run. */
  toEvent(row: LedgerRow): JsonObject | null {
    return renderEvent(row, {
      runStart: (runId) => this.#related.runStart(runId, row.seq),
      upstream: (runId, shimId) => this.#related.upstream(runId, shimId, row.seq),
      blob: (seq, slot) => this.#related.blob(seq, slot),
    });
  }

  /**
   * Lets go of the files until the next question. Whoever lives long calls it when it waits: the ledger goes
   * on in another file only while nobody has this one open.
   */
  release(): void {
    this.#files.release();
    this.#index.release();
  }

  close(): void {
    this.#files.close();
    this.#index.release();
  }

  #ofTool(name: unknown, page: PageOptions): Page<LedgerRow> {
    const text = canonicalize(name);
    return this.#list((file, slice) => file.ofTool(text, slice), page);
  }

  #byCode(code: CodeName, page: PageOptions): Page<LedgerRow> {
    const numbers = numbersOfCode(code);
    const sought = { marks: numbers.map((number) => markOf('code', number)) };
    return this.#page({ where: `code IN (${numbers.join(',')})`, params: [], sought }, page);
  }

  #page(condition: Condition, page: PageOptions): Page<LedgerRow> {
    return this.#list((file, slice) => file.slice(condition, slice), page);
  }

  /** One row more than a page holds tells whether there is another page. */
  #list(listing: Listing, page: PageOptions): Page<LedgerRow> {
    const ascending = page.order === 'asc';
    const limit = Math.min(1000, Math.max(1, Math.trunc(page.limit ?? 100)));
    const cursor = page.cursor ?? (ascending ? 0 : Number.MAX_SAFE_INTEGER);
    const found: LedgerRow[] = [];
    const files = ascending ? this.#files.oldestFirst(cursor) : this.#files.newestFirst(cursor - 1);
    for (const file of files) {
      found.push(...listing(file, { ascending, cursor, limit: limit + 1 - found.length }));
      if (found.length > limit) break;
    }
    const rows = found.slice(0, limit);
    return { rows, next: found.length > limit ? (rows.at(-1)?.seq ?? null) : null };
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
