import type { Database } from 'better-sqlite3';
import { collectCarried, type Carried, type CarriedEntry, type CarriedRun } from '../segments/carried.js';
import { DICT_KINDS } from '../store/dictionary.js';
import type { EntryChecker } from './entries.js';
import type { Frames } from './names.js';
import type { Finding } from './report.js';
import { RunTip } from './run-tips.js';
import type { CarriedTarget } from './targets.js';

/** What a file goes on with, also by the numbers that its own dict gives to runs; 0 is the gateway. */
export interface CarriedHere extends Carried {
  readonly targets: readonly CarriedTarget[];
  readonly tips: ReadonlyMap<number, RunTip>;
  /** Of the chains. */
  readonly names: ReadonlyMap<number, string | null>;
}

/** Nothing goes on from before the first file. */
export const NOTHING_CARRIED: Carried = { entries: [], runs: [] };

/** Reads what a file goes on with. `seq`: its first entry. */
export function readCarriedHere(db: Database, frames: Frames, seq: number): CarriedHere | Finding {
  const shape = db
    .prepare<[], { entries: string | null; runs: string | null }>(
      `SELECT (SELECT group_concat(DISTINCT typeof(kind)||typeof(code)||typeof(run)) FROM carried) AS entries,
      (SELECT group_concat(DISTINCT typeof(next)||typeof(last)) FROM carried_run) AS runs`,
    )
    .get();
  const areRight = (shape?.entries ?? INTEGERS) === INTEGERS && (shape?.runs ?? TIP) === TIP;
  if (!areRight)
    return { seq, class: 'type', detail: 'what its file goes on with has columns of other types' };
  const names = new Map<number, string | null>([[0, null]]);
  const targets = db
    .prepare<[], CarriedTarget & { code: number }>(
      'SELECT seq, kind, code, run AS number FROM carried ORDER BY seq',
    )
    .all();
  const chains = db
    .prepare<[], { number: number; next: number; last: Buffer }>(
      'SELECT run AS number, next, last FROM carried_run',
    )
    .all();
  for (const { number } of [...targets, ...chains]) {
    if (names.has(number)) continue;
    const name = frames.name(number, DICT_KINDS.run);
    if (name === undefined) return { seq, class: 'dict', detail: `run number ${number} has no name` };
    names.set(number, name);
  }
  const nameOf = (number: number): string | null => names.get(number) ?? null;
  return {
    entries: targets.map(({ seq: at, kind, code, number }) => ({ seq: at, kind, code, run: nameOf(number) })),
    runs: chains
      .map(({ number, next, last }) => chain(nameOf(number), next, last.toString('hex')))
      .toSorted(byRun),
    targets,
    tips: new Map(chains.map(({ number, next, last }) => [number, new RunTip(next, last.toString('hex'))])),
    names: new Map(chains.map(({ number }) => [number, nameOf(number)])),
  };
}

const INTEGERS = 'integerintegerinteger';
const TIP = 'integerblob';

/**
 * The parts that have to go on from the file that the checker has walked to its end: its chains as they were
 * walked.
 */
export function carriedBehind(db: Database, checker: EntryChecker): Carried {
  const runs = [...checker.runs.open].map(([number, { ri, rp }]) =>
    chain(number === 0 ? null : (checker.parts.frames.name(number, DICT_KINDS.run) ?? ''), ri, rp),
  );
  return { entries: collectCarried(db, checker.open).entries, runs: runs.toSorted(byRun) };
}

/** How what a file goes on with differs from what it has to, or null. */
export function differingCarried(expected: Carried, found: Carried): string | null {
  const [entry, isMore] = firstDifference(expected.entries, found.entries, entryText);
  if (entry !== undefined)
    return isMore
      ? `it goes on with entry ${entry.seq}, which nothing may refer to any more, or not as it is`
      : `it does not go on with entry ${entry.seq}, which may still be referred to`;
  const [run, isOther] = firstDifference(expected.runs, found.runs, runText);
  if (run === undefined) return null;
  const name = run.run === null ? 'the gateway' : `the run ${run.run}`;
  return isOther
    ? `it goes on with the chain of ${name}, which has ended or stands elsewhere`
    : `it does not go on with the chain of ${name}`;
}

/** The first that only one of two sorted lists holds, and whether that is the second. */
function firstDifference<T>(
  expected: readonly T[],
  found: readonly T[],
  text: (one: T) => string,
): readonly [T | undefined, boolean] {
  const wanted = new Set(expected.map(text));
  const extra = found.find((one) => !wanted.delete(text(one)));
  if (extra !== undefined) return [extra, true];
  return [expected.find((one) => wanted.has(text(one))), false];
}

function entryText({ seq, kind, code, run }: CarriedEntry): string {
  return `${seq} ${kind} ${code} ${run}`;
}

function runText({ run, next, last }: CarriedRun): string {
  return `${next} ${last} ${run}`;
}

function chain(run: string | null, next: number, last: string): CarriedRun {
  return { run, next, last };
}

/** As they are committed to: the gateway's chain first, then by the text of the id. */
function byRun(a: CarriedRun, b: CarriedRun): number {
  // No two of them are of one run.
  return (a.run ?? '') < (b.run ?? '') ? -1 : 1;
}
