import { nameOfCode, typeOfKind, type CodeName, type EntryType } from '../entry/kinds.js';
import type { OneFile } from './one-file.js';

/** How many entries of one type and code a run has. */
export interface RunCount {
  readonly type: EntryType;
  readonly code: CodeName | null;
  readonly count: number;
}

/** The greatest of a run's call ids that share all but their last eight characters. */
export interface CallSeries {
  readonly id: string;
  /** The entry in which the first of them began. */
  readonly seq: number;
}

/** What the entries of one run come to, without its rows: it may have lived for weeks. */
export interface RunTally {
  readonly runId: string;
  /** Its first entry; 0 where it has none. */
  readonly first: number;
  /** By number of kind and code. */
  readonly counts: readonly (readonly [kind: number, code: number, count: number])[];
  /** In the order in which they began. */
  readonly series: readonly CallSeries[];
}

/** Entries that are looked at at once: what SQLite sorts stays small. */
const SLICE = 65_536;

/** Counts a run's entries: on from what is known, file by file in any order. */
export class TallyBuilder {
  readonly #runId: string;
  readonly #counts = new Map<string, number>();
  readonly #series = new Map<string, CallSeries>();
  #first: number;

  constructor(runId: string, known?: RunTally) {
    this.#runId = runId;
    this.#first = known?.first ?? 0;
    for (const [kind, code, count] of known?.counts ?? []) this.#counts.set(`${kind} ${code}`, count);
    for (const series of known?.series ?? []) this.#add(series);
  }

  /** Adds the entries behind `after` up to `upTo` that the run with that number has in a file. */
  take(file: OneFile, run: number, after: number, upTo: number): void {
    const first = file.firstOf(run, after);
    if (first === undefined || first > upTo) return;
    if (this.#first === 0 || first < this.#first) this.#first = first;
    for (let from = first - 1; from < upTo; from += SLICE) {
      const to = Math.min(from + SLICE, upTo);
      for (const { kind, code, count } of file.counts(run, from, to)) {
        const key = `${kind} ${code}`;
        this.#counts.set(key, (this.#counts.get(key) ?? 0) + count);
      }
      for (const series of file.series(run, from, to)) this.#add(series);
    }
  }

  /** What it has come to. */
  get tally(): RunTally {
    const counts = [...this.#counts].map(([key, count]) => {
      const [kind = 0, code = 0] = key.split(' ').map(Number);
      return [kind, code, count] as const;
    });
    return {
      runId: this.#runId,
      first: this.#first,
      counts: counts.toSorted((a, b) => a[0] - b[0] || a[1] - b[1]),
      series: [...this.#series.values()].toSorted((a, b) => a.seq - b.seq),
    };
  }

  #add({ id, seq }: CallSeries): void {
    const name = id.slice(0, -8);
    const known = this.#series.get(name);
    if (known === undefined) this.#series.set(name, { id, seq });
    else this.#series.set(name, { id: id > known.id ? id : known.id, seq: Math.min(seq, known.seq) });
  }
}

/** The counts of a tally in names. */
export function countsOf({ counts }: RunTally): RunCount[] {
  return counts.flatMap(([kind, code, count]) => {
    const type = typeOfKind(kind);
    const name = nameOfCode(code);
    return type === undefined || name === undefined ? [] : [{ type, code: name, count }];
  });
}

/** The counts of a run's calls, as its summary has them. */
export interface CallCounts {
  readonly calls_total: number;
  readonly calls_allowed: number;
  readonly calls_blocked: number;
  readonly calls_throttled: number;
  readonly errors_total: number;
}

/** Counts calls as the end of a run does. */
export function callCounts(tally: RunTally): CallCounts {
  const counts = countsOf(tally);
  const sum = (type: EntryType, fits: (code: CodeName | null) => boolean): number =>
    counts.reduce((total, one) => total + (one.type === type && fits(one.code) ? one.count : 0), 0);
  const decided = (fits: (code: CodeName | null) => boolean): number => sum('tool_call_decision', fits);
  const allowed = decided((code) => code === 'ALLOW');
  const throttled = decided((code) => code === 'THROTTLE');
  const blocked = decided(() => true) - allowed - throttled;
  const failed = sum('tool_call_end', (code) => code !== 'OK');
  return {
    calls_total: sum('tool_call_start', () => true),
    calls_allowed: allowed,
    calls_blocked: blocked,
    calls_throttled: throttled,
    // A refused call ends with an error that is the policy's: the summary counts it as blocked or throttled.
    errors_total: Math.max(0, failed - blocked - throttled),
  };
}
