import { CODES, KINDS, type LedgerReader } from '@subluminal/ledger';
import type { Histogram } from '../protocol/rows.js';
import { Sparks } from './sparks.js';

/** Entries that are read in one step, and records that are kept in mind: the newest ones. */
const STEP = 20_000;
const MAX_KEPT = 4_000_000;

const OPENS: ReadonlySet<number> = new Set([
  KINDS.tool_call_start,
  KINDS.action_pending,
  KINDS.action_rejected,
  KINDS.panicked,
]);
const REFUSES: ReadonlySet<number> = codesOf('BLOCK', 'THROTTLE', 'TERMINATE_RUN');
const HINTS: ReadonlySet<number> = codesOf('REJECT_WITH_HINT');

const OPENED = 1;
const REFUSED = 2;
const HINTED = 4;

/** When records began and which were refused, of the whole ledger: nine bytes each. */
export class Times {
  /** The same of each run, as far as it is counted. */
  readonly sparks = new Sparks();
  readonly #reader: Pick<LedgerReader, 'outline'>;
  readonly #most: number;
  #ts = new Float64Array(1024);
  #what = new Uint8Array(1024);
  #count = 0;
  #upto = 0;

  constructor(reader: Pick<LedgerReader, 'outline'>, most = MAX_KEPT) {
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
    const rows = this.#reader.outline(this.#upto, STEP);
    for (const row of rows) {
      const { code, kind, runId, ts } = row;
      const what =
        (OPENS.has(kind) ? OPENED : 0) |
        (kind === KINDS.action_rejected || (kind === KINDS.tool_call_decision && REFUSES.has(code))
          ? REFUSED
          : 0) |
        (kind === KINDS.tool_call_decision && HINTS.has(code) ? HINTED : 0);
      if (kind === KINDS.run_start) this.sparks.begin(row);
      if (what === 0) continue;
      this.#push(ts, what);
      this.sparks.add(runId, ts, {
        isNew: (what & OPENED) !== 0,
        isRefused: (what & (REFUSED | HINTED)) !== 0,
      });
    }
    this.#upto = rows.at(-1)?.seq ?? head;
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

function codesOf(...names: readonly string[]): ReadonlySet<number> {
  return new Set(CODES.filter(([, name]) => names.includes(name)).map(([number]) => number));
}
