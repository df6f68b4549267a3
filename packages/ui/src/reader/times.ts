import type { LedgerReader, OutlineRow } from '@subluminal/ledger';
import { OPENING, opensRecord, questionIn } from '@subluminal/records';
import type { Histogram } from '../protocol/rows.js';
import { Sparks } from './sparks.js';

/** Entries that are looked at in one step, and records that are kept in mind: the newest ones. */
const STEP = 20_000;
const MAX_KEPT = 4_000_000;

const REFUSES = ['BLOCK', 'THROTTLE', 'TERMINATE_RUN'] as const;
const HINTS = ['REJECT_WITH_HINT'] as const;
/** The entries that are counted: ends are none of them, nor is what was allowed. */
const COUNTED = { types: ['run_start', ...OPENING], decisions: [...REFUSES, ...HINTS] } as const;

const OPENED = 1;
const REFUSED = 2;
const HINTED = 4;

/** When records began and which were refused, of the whole ledger: nine bytes each. */
export class Times {
  /** The same of each run, as far as it is counted. */
  readonly sparks = new Sparks();
  readonly #reader: Pick<LedgerReader, 'entry' | 'outline'>;
  readonly #most: number;
  #ts = new Float64Array(1024);
  #what = new Uint8Array(1024);
  #count = 0;
  #upto = 0;

  constructor(reader: Pick<LedgerReader, 'entry' | 'outline'>, most = MAX_KEPT) {
    this.#reader = reader;
    this.#most = most;
  }

  /** Whether all up to that entry is counted. */
  isDone(head: number): boolean {
    return this.#upto >= head;
  }

  /** Counts a piece more. */
  step(head: number): void {
    if (this.isDone(head)) return;
    const { rows, upto } = this.#reader.outline({ ...COUNTED, after: this.#upto, span: STEP });
    this.#take(rows);
    this.#upto = upto > this.#upto ? upto : head;
  }

  /** Hears of all entries from `from` on, which are `rows`: those that are next need not be read again. */
  saw(from: number, rows: readonly OutlineRow[]): void {
    const next = this.#upto + 1;
    const last = rows.at(-1)?.seq ?? 0;
    if (from > next || last < next) return;
    this.#take(rows.filter(({ seq }) => seq >= next));
    this.#upto = last;
  }

  /** Counts of a time, both ends included. */
  histogram(from: number, to: number, buckets: number, head: number): Histogram {
    const [all, refused, hinted] = [0, 0, 0].map(() => Array.from({ length: buckets }, () => 0)) as [
      number[],
      number[],
      number[],
    ];
    const width = Math.max(1, to - from + 1) / buckets;
    for (let at = 0; at < Math.min(this.#count, this.#most); at += 1) {
      const ts = this.#ts[at] ?? 0;
      if (ts < from || ts > to) continue;
      const bucket = Math.min(buckets - 1, Math.floor((ts - from) / width));
      const what = this.#what[at] ?? 0;
      if ((what & OPENED) !== 0) add(all, bucket);
      if ((what & REFUSED) !== 0) add(refused, bucket);
      if ((what & HINTED) !== 0) add(hinted, bucket);
    }
    return { from, to, all, refused, hinted, partial: this.#upto < head };
  }

  #take(rows: readonly OutlineRow[]): void {
    for (const row of rows) {
      const { runId, ts } = row;
      const what = whatOf(row);
      if (row.type === 'run_start') this.sparks.begin(row);
      if (what === 0) continue;
      this.#push(ts, what);
      this.sparks.add(runId, ts, {
        isNew: (what & OPENED) !== 0,
        isRefused: (what & REFUSED) !== 0 || ((what & HINTED) !== 0 && !this.#isAsked(row.seq)),
      });
    }
  }

  /** A hint and a question to a person have one code: the data of the entry tells them apart. */
  #isAsked(seq: number): boolean {
    return questionIn(this.#reader.entry(seq)?.data ?? null) !== undefined;
  }

  /** Of more than are kept the oldest one gives its place. */
  #push(ts: number, what: number): void {
    if (this.#count === this.#ts.length && this.#count < this.#most) {
      const size = Math.min(this.#most, this.#count * 2);
      const [times, whats] = [new Float64Array(size), new Uint8Array(size)];
      times.set(this.#ts);
      whats.set(this.#what);
      [this.#ts, this.#what] = [times, whats];
    }
    const at = this.#count % this.#most;
    this.#ts[at] = ts;
    this.#what[at] = what;
    this.#count += 1;
  }
}

function add(counts: number[], at: number): void {
  counts[at] = (counts[at] ?? 0) + 1;
}

function whatOf(row: OutlineRow): number {
  const { code, type } = row;
  const isDecided = (codes: readonly (string | null)[]): boolean =>
    type === 'tool_call_decision' && codes.includes(code);
  return (
    (opensRecord(row) ? OPENED : 0) |
    (type === 'action_rejected' || isDecided(REFUSES) ? REFUSED : 0) |
    (isDecided(HINTS) ? HINTED : 0)
  );
}
