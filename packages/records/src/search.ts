import type { LedgerReader, LedgerRow, Page } from '@subluminal/ledger';
import { textAt } from '@subluminal/core-types';
import { flaggedRows, flagsOf } from './flags.js';
import {
  actionOf,
  opensRecord,
  PANIC,
  recordAround,
  recordOf,
  statusOf,
  toolOf,
  type CallRecord,
  wasRefused,
} from './record.js';
import { decisionOf, hasEnded, type Decided, type Ended } from './words.js';

/** The records to look for; every part that is given must fit. */
export interface Search {
  readonly runId?: string;
  readonly server?: string;
  readonly tool?: string;
  readonly action?: string;
  /** Actions that are left out if they went well. */
  readonly leaveOut?: ReadonlySet<string>;
  /** Any of these decisions. */
  readonly decisions?: ReadonlySet<Decided>;
  /** Only what was not let through, whatever the decision is called. */
  readonly refused?: true;
  /** Only what ended so. */
  readonly ended?: Ended;
  /** Only what something was unusual about. */
  readonly flagged?: true;
  readonly requestId?: string;
  /** Only calls with these arguments, by the hash of their canonical JSON. */
  readonly argsHash?: string;
  /** Of runs of this agent; of this client. */
  readonly agent?: string;
  readonly client?: string;
  readonly sinceMs?: number;
  readonly untilMs?: number;
  /** All of these hold. */
  readonly tests?: readonly RecordTest[];
  /** Asked with each candidate: once it says so, the page ends there, full or not. */
  readonly isOver?: () => boolean;
}

/** The search for records that fit both: the shorter time, all tests, and any other part of the second. */
export function bothSearches(one: Search, other: Search): Search {
  const since = Math.max(one.sinceMs ?? 0, other.sinceMs ?? 0);
  const until = Math.min(one.untilMs ?? Number.MAX_SAFE_INTEGER, other.untilMs ?? Number.MAX_SAFE_INTEGER);
  const tests = [...(one.tests ?? []), ...(other.tests ?? [])];
  return {
    ...one,
    ...other,
    ...(since > 0 ? { sinceMs: since } : {}),
    ...(until < Number.MAX_SAFE_INTEGER ? { untilMs: until } : {}),
    ...(tests.length > 0 ? { tests } : {}),
  };
}

/**
 * A test of a record, with the entry that began its run. `unknown`: it cannot be told any more, which counts
 * as no.
 */
export type RecordTest = (record: CallRecord, start: LedgerRow | undefined) => 'yes' | 'no' | 'unknown';

/** Records, newest first, and where the next page starts; null at the end. */
export interface Found {
  readonly records: readonly CallRecord[];
  readonly next: number | null;
  /** Records that were left out because a test of them cannot be told. */
  readonly unknown: number;
}

const PAGE = 500;

/** Finds records by way of the narrowest index of the ledger that the search allows; the rest is compared. */
export function search(reader: LedgerReader, what: Search, limit: number, cursor: number | null): Found {
  const records: CallRecord[] = [];
  const seen = new Set<number>();
  let unknown = 0;
  for (const row of candidates(reader, what, cursor)) {
    if (what.isOver?.() === true) return { records, next: row.seq + 1, unknown };
    const record = opensRecord(row) ? recordOf(reader, row) : recordAround(reader, row);
    if (
      record === undefined ||
      seen.has(record.first.seq) ||
      (cursor !== null && record.first.seq >= cursor) ||
      !fits(record, what)
    )
      continue;
    const told = ofRun(reader, record, what);
    if (told === 'no') continue;
    if (told === 'yes' && records.length === limit)
      return { records, next: records.at(-1)?.first.seq ?? null, unknown };
    seen.add(record.first.seq);
    if (told === 'yes') records.push(record);
    else unknown += 1;
  }
  return { records, next: null, unknown };
}

/** Whether one record fits a search. */
export function matches(reader: LedgerReader, record: CallRecord, what: Search): ReturnType<RecordTest> {
  const isFlagged = what.flagged === undefined || flagsOf(reader, record).length > 0;
  return isFlagged && fits(record, what) ? ofRun(reader, record, what) : 'no';
}

function candidates(reader: LedgerReader, what: Search, cursor: number | null): Iterable<LedgerRow> {
  const { runId, server, tool, action, requestId, decisions, sinceMs, untilMs } = what;
  if (what.flagged) return flaggedRows(reader);
  if (requestId !== undefined) return reader.byRequest(requestId).toReversed();
  if (server !== undefined && tool !== undefined) {
    return pages((page) => reader.byTool(server, tool, page), cursor, opensRecord);
  }
  if (action !== undefined) {
    const named = pages((page) => reader.byAction(action, page), cursor, opensRecord);
    if (action !== PANIC) return named;
    return newestOf([named, pages((page) => reader.byType('panicked', page), cursor, opensRecord)]);
  }
  if (runId !== undefined) return pages((page) => reader.byRun(runId, page), cursor, opensRecord);
  if (sinceMs !== undefined || untilMs !== undefined) {
    return pages(
      (page) => reader.byTimeRange(sinceMs ?? 0, untilMs ?? Number.MAX_SAFE_INTEGER, page),
      cursor,
      opensRecord,
    );
  }
  if (decisions !== undefined && !decisions.has('ALLOW')) {
    // Their decision is the entry after their start, which the cursor names.
    const at = cursor === null ? null : cursor + 1;
    const read = (decision: Decided): Iterable<LedgerRow> =>
      pages(
        (page) => reader.byDecision(decision === 'ASKED' ? 'REJECT_WITH_HINT' : decision, page),
        at,
        () => true,
      );
    return newestOf([...decisions].map(read));
  }
  return pages((page) => reader.all(page), cursor, opensRecord);
}

/** Rows of several lists, each newest first, as one such list. */
function* newestOf(lists: readonly Iterable<LedgerRow>[]): Iterable<LedgerRow> {
  const heads = lists.map((list) => {
    const rows = list[Symbol.iterator]();
    return { rows, next: rows.next() };
  });
  for (;;) {
    const newest = heads.reduce((a, b) => (seqOf(b.next) > seqOf(a.next) ? b : a));
    if (newest.next.done === true) return;
    yield newest.next.value;
    newest.next = newest.rows.next();
  }
}

function seqOf(next: IteratorResult<LedgerRow, unknown>): number {
  return next.done === true ? 0 : next.value.seq;
}

function* pages(
  read: (page: { readonly limit: number; readonly cursor: number | null }) => Page<LedgerRow>,
  cursor: number | null,
  keep: (row: LedgerRow) => boolean,
): Iterable<LedgerRow> {
  let at = cursor;
  do {
    const page = read({ limit: PAGE, cursor: at });
    for (const row of page.rows) if (keep(row)) yield row;
    at = page.next;
  } while (at !== null);
}

/** Whether a record is one of a run of that agent, by that client, and fits every test. */
function ofRun(reader: LedgerReader, record: CallRecord, what: Search): ReturnType<RecordTest> {
  const { agent, client, tests = [] } = what;
  if (agent === undefined && client === undefined && tests.length === 0) return 'yes';
  const { runId, seq } = record.first;
  const start = runId === null ? undefined : reader.runStart(runId, seq);
  const says = (key: string): string => textAt(start?.data ?? null, key);
  if (agent !== undefined && says('agent_id') !== agent) return 'no';
  if (client !== undefined && says('client') !== client) return 'no';
  const told = tests.map((test) => test(record, start));
  if (told.includes('no')) return 'no';
  return told.includes('unknown') ? 'unknown' : 'yes';
}

function fits(record: CallRecord, what: Search): boolean {
  const tool = toolOf(record);
  const { ts, runId } = record.first;
  return (
    (what.runId === undefined || runId === what.runId) &&
    (what.server === undefined || tool?.[0] === what.server) &&
    (what.tool === undefined || tool?.[1] === what.tool) &&
    (what.action === undefined || actionOf(record) === what.action) &&
    (what.leaveOut === undefined || !isLeftOut(record, what.leaveOut)) &&
    (what.decisions === undefined || isAmong(what.decisions, decisionOf(record))) &&
    (what.refused === undefined || wasRefused(record)) &&
    (what.requestId === undefined ||
      !what.flagged ||
      textAt(record.first.data, 'req', 'id') === what.requestId) &&
    (what.argsHash === undefined || textAt(record.first.data, 'call', 'args_hash') === what.argsHash) &&
    (what.ended === undefined || hasEnded(record, what.ended)) &&
    (what.sinceMs === undefined || ts >= what.sinceMs) &&
    (what.untilMs === undefined || ts <= what.untilMs)
  );
}

/** Whether it is one of these actions, and went well. */
export function isLeftOut(record: CallRecord, actions: ReadonlySet<string>): boolean {
  const action = toolOf(record) === null ? actionOf(record) : null;
  return action !== null && actions.has(action) && statusOf(record) === 'success';
}

function isAmong(wanted: ReadonlySet<string>, code: string | null): boolean {
  return code !== null && wanted.has(code);
}
