import { canonicalize } from '@subluminal/core-types';
import { KINDS, nameOfCode, typeOfKind, type CodeName, type EntryType } from '../entry/kinds.js';
import { DICT_KINDS } from '../store/dictionary.js';
import type { LedgerFiles } from './files.js';
import type { LimitRow, OneFile } from './one-file.js';
import type { LedgerRow } from './row.js';

/** What is asked of one run. */
export interface LimitTrailQuestion {
  readonly runId: string;
  /** Entries behind this one. */
  readonly after: number;
  /** Up to this one; to the newest, unless given. */
  readonly upTo?: number;
}

/** One entry of the trail. Its row is read only when it is asked for, before the trail goes on. */
export interface LimitTrailEntry {
  readonly seq: number;
  readonly type: EntryType;
  readonly code: CodeName | null;
  readonly ref: number | null;
  readonly ts: number;
  /** The call that a decision or an end is on; empty for all others. */
  readonly callId: string;
  /** How long a call took, of an end without facts; 0 for all others. */
  readonly latencyMs: number;
  /** The member `facts` of its data, as JSON; null where it has none. */
  readonly facts: string | null;
  readonly row: () => LedgerRow;
}

/** Entries that are looked at at once. */
const SLICE = 16_384;

/**
 * The entries of a run that tell of its limits, oldest first, over all files: decisions that hold facts, ends
 * of calls, waivers, policies that were asked again, and spools that were charged without being believed. A
 * run of a million calls is read in slices; ends that come before any decision with facts end nothing that
 * was charged, and are left out.
 *
 * @throws SublError `not_found`, with its name, where a file that the run goes through is not there.
 */
export function* limitTrail(
  files: LedgerFiles<OneFile>,
  question: LimitTrailQuestion,
): Generator<LimitTrailEntry> {
  const run = canonicalize(question.runId);
  const newest = files.present.size;
  const upTo = Math.min(question.upTo ?? newest, newest);
  let chargedFrom = question.after > 0 ? question.after : undefined;
  for (let after = Math.max(firstBehind(files, run, question.after) - 1, question.after); after < upTo;) {
    const file = files.holding(after + 1);
    if (file === undefined) return;
    const last = Math.min(after + SLICE, file.end ?? upTo, upTo);
    const number = file.numberOf(DICT_KINDS.run, run);
    const rows = number === undefined ? [] : file.limitRows(number, after, last);
    chargedFrom ??= rows.find(({ facts }) => facts !== null)?.seq;
    if (number !== undefined && chargedFrom !== undefined)
      rows.push(...file.plainEnds(number, Math.max(chargedFrom, after), last));
    for (const row of rows.toSorted((a, b) => a.seq - b.seq)) {
      const entry = entryOf(row, () => rowOf(files, row.seq));
      if (entry !== undefined) yield entry;
    }
    after = last;
  }
}

function entryOf(
  { seq, kind, code, ref, ts, call, latency, facts }: LimitRow,
  row: () => LedgerRow,
): LimitTrailEntry | undefined {
  const type = typeOfKind(kind);
  const name = nameOfCode(code);
  if (type === undefined || name === undefined) return undefined;
  return { seq, type, code: name, ref, ts, callId: call ?? '', latencyMs: latency ?? 0, facts, row };
}

/** The newest `hint_issued` of a call of a run. */
export function issuedHint(
  files: LedgerFiles<OneFile>,
  runId: string,
  callId: string,
): LedgerRow | undefined {
  const run = canonicalize(runId);
  for (const file of files.newestFirst()) {
    const row = file.ofCall(KINDS.hint_issued, run, callId);
    if (row !== undefined) return row;
    const number = file.numberOf(DICT_KINDS.run, run);
    if (number !== undefined && !file.carries(number)) return undefined;
  }
  return undefined;
}

/**
 * The first entry of a run behind `after`: a run that began late is not looked for in everything before it.
 * Where a file is missing on the way, the one right behind `after`, so that whoever goes on from there comes
 * upon the gap.
 */
function firstBehind(files: LedgerFiles<OneFile>, run: string, after: number): number {
  let first = Number.MAX_SAFE_INTEGER;
  for (const file of files.newestFirst()) {
    const number = file.numberOf(DICT_KINDS.run, run);
    if (number !== undefined) first = Math.min(first, file.firstOf(number, after) ?? first);
    const isBegun = number !== undefined && !file.carries(number);
    if (isBegun || file.base.seq <= after) return first;
  }
  return after + 1;
}

function rowOf(files: LedgerFiles<OneFile>, seq: number): LedgerRow {
  const row = files.holding(seq)?.entry(seq);
  if (row === undefined) throw new TypeError(`entry ${seq} was there and is not any more`);
  return row;
}
