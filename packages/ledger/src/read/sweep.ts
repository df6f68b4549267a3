import { canonicalize } from '@subluminal/core-types';
import { KINDS, type EntryType } from '../entry/kinds.js';
import { DICT_KINDS } from '../store/dictionary.js';
import type { LedgerFiles } from './files.js';
import type { OneFile } from './one-file.js';
import type { LedgerRow } from './row.js';
import { TallyBuilder, type RunTally } from './run-tally.js';

/** What is known of all entries up to one: closed files never change, and entries neither. */
export interface SweepMemory {
  /** The entry up to which it goes, and its leaf: in another history it says nothing. */
  readonly upTo: number;
  readonly leaf: string;
  /** The actions and types for which `files` goes. */
  readonly asked: readonly string[];
  /**
   * Closed files by their last entry, with the greatest `ts` in each; 0 for one that holds none of what was
   * asked for.
   */
  readonly files: readonly (readonly [last: number, newestTs: number])[];
  /** Runs that had not ended. */
  readonly runs: readonly RunTally[];
}

/** What is asked of the whole ledger at once. */
export interface SweepQuestion {
  /** The runs to count; others are left out. */
  readonly runIds: readonly string[];
  /** Entries of these actions, and of these types, whose `ts` is not less. */
  readonly since: number;
  readonly actions: readonly string[];
  readonly types: readonly EntryType[];
  /** What an earlier sweep gave. */
  readonly memory?: SweepMemory | undefined;
  /** Goes no further than this entry; to the newest one, unless given. */
  readonly upTo?: number;
}

/** What a sweep found. */
export interface Swept {
  /** Those runs that go on, in the order in which they were asked for; one that has ended is left out. */
  readonly runs: readonly RunTally[];
  /** Newest first in each. */
  readonly actions: ReadonlyMap<string, readonly LedgerRow[]>;
  readonly types: ReadonlyMap<EntryType, readonly LedgerRow[]>;
  /** For the next sweep. */
  readonly memory: SweepMemory;
}

interface Count {
  readonly run: string;
  readonly runId: string;
  readonly builder: TallyBuilder;
  /** What is known of it goes up to this entry. */
  readonly known: number;
}

/**
 * Asks all files of a ledger, each at most once and newest first, and none that is known to have no answer. A
 * clock may have gone back: a file counts as older than `since` only by the greatest `ts` in it. A run that
 * goes on stands among what the next file begins with, so that where it does not it began.
 */
export function sweep(files: LedgerFiles<OneFile>, question: SweepQuestion): Swept {
  const { runIds, since } = question;
  const memory = sound(files, question.memory);
  const { present, places } = files.now;
  const upTo = Math.min(present.size, question.upTo ?? Number.MAX_SAFE_INTEGER);
  const known = new Map(memory?.runs.map((tally) => [tally.runId, tally]));
  const counts = runIds.map((runId): Count => {
    const tally = known.get(runId);
    return {
      run: canonicalize(runId),
      runId,
      builder: new TallyBuilder(runId, tally),
      known: tally === undefined ? 0 : (memory?.upTo ?? 0),
    };
  });
  const actions = new Map(question.actions.map((action): [string, LedgerRow[]] => [action, []]));
  const types = new Map(question.types.map((type): [EntryType, LedgerRow[]] => [type, []]));
  const asked = [...question.actions, ...question.types];
  const newest = new Map(isSame(memory?.asked, asked) ? memory?.files : []);
  const take = (file: OneFile): void => {
    for (const [action, rows] of actions) rows.push(...file.actionSince(canonicalize(action), since, upTo));
    for (const [type, rows] of types) rows.push(...file.kindSince(KINDS[type], since, upTo));
  };
  const going = counts.filter(({ run }) => present.goesOn(run));
  take(present);
  let left = going.filter((count) => takeRun(present, count, upTo));
  for (const place of places.chain) {
    if (place.first > upTo) continue;
    const ts = newest.get(place.last);
    left = left.filter((count) => count.known < place.last);
    if (left.length === 0 && ts !== undefined && ts < since) continue;
    const file = files.there(place);
    const newestTs = ts ?? newestOf(file, question);
    if (place.last <= upTo) newest.set(place.last, newestTs);
    if (newestTs >= since) take(file);
    left = left.filter((count) => takeRun(file, count, Math.min(place.last, upTo)));
  }
  const runs = going.map(({ builder }) => builder.tally);
  const leaf = files.holding(upTo)?.leafOf(upTo) ?? files.present.leafOf(upTo);
  return { runs, actions, types, memory: { upTo, leaf, asked, files: [...newest], runs } };
}

/** Counts a run in a file; false where it began in it, or where nothing older is to be counted. */
function takeRun(file: OneFile, { run, builder, known }: Count, upTo: number): boolean {
  const number = file.numberOf(DICT_KINDS.run, run);
  if (number === undefined) return false;
  builder.take(file, number, Math.max(known, file.base.seq), upTo);
  return known < file.base.seq && file.carries(number);
}

/** The greatest `ts` of a file that holds any such entry. */
function newestOf(file: OneFile, { actions, types }: SweepQuestion): number {
  const holdsAny =
    actions.some((action) => file.numberOf(DICT_KINDS.action, canonicalize(action)) !== undefined) ||
    types.some((type) => file.holdsKind(KINDS[type]));
  return holdsAny ? file.newestTs : 0;
}

function isSame(one: readonly string[] | undefined, other: readonly string[]): boolean {
  return one?.length === other.length && other.every((name, at) => name === one[at]);
}

/** The memory, where it is one of this history. */
function sound(files: LedgerFiles<OneFile>, memory: SweepMemory | undefined): SweepMemory | undefined {
  if (memory === undefined || !files.holds(memory.upTo)) return undefined;
  return files.holding(memory.upTo)?.entry(memory.upTo)?.leaf === memory.leaf ? memory : undefined;
}
