import type { Spark } from '../protocol/runs.js';

/** Buckets of a run: half of them at least are in use, since two become one where the run goes on. */
const BUCKETS = 32;
const FIRST_WIDTH_MS = 64;
/** Runs that are kept in mind, those that did something last. */
const MAX_RUNS = 4096;

interface Line {
  readonly from: number;
  width: number;
  readonly all: Uint32Array;
  readonly refused: Uint32Array;
}

/** The activity of runs over their own time, in some 400 bytes each, whatever they do. */
export class Sparks {
  readonly #most: number;
  readonly #lines = new Map<string, Line>();
  #last = '';

  constructor(most = MAX_RUNS) {
    this.#most = most;
  }

  /** A run begins. One whose beginning was not read has no line, for it would begin too late. */
  begin({ runId, ts }: { readonly runId: string | null; readonly ts: number }): void {
    if (runId === null || this.#lines.has(runId)) return;
    const [all, refused] = [new Uint32Array(BUCKETS), new Uint32Array(BUCKETS)];
    this.#lines.set(runId, { from: ts, width: FIRST_WIDTH_MS, all, refused });
    this.#last = runId;
    const [oldest] = this.#lines.keys();
    if (this.#lines.size > this.#most && oldest !== undefined) this.#lines.delete(oldest);
  }

  /** Something of a run at that time; a clock that went back counts for its beginning. */
  add(
    runId: string | null,
    ts: number,
    { isNew, isRefused }: { readonly isNew: boolean; readonly isRefused: boolean },
  ): void {
    const line = runId === null ? undefined : this.#lines.get(runId);
    if (line === undefined || runId === null) return;
    if (runId !== this.#last) {
      this.#lines.delete(runId);
      this.#lines.set(runId, line);
      this.#last = runId;
    }
    const after = Math.max(0, ts - line.from);
    while (after >= line.width * BUCKETS) widen(line);
    const at = Math.floor(after / line.width);
    if (isNew) line.all[at] = (line.all[at] ?? 0) + 1;
    if (isRefused) line.refused[at] = (line.refused[at] ?? 0) + 1;
  }

  /** That of a run; null where it is not known. */
  of(runId: string): Spark | null {
    const line = this.#lines.get(runId);
    if (line === undefined) return null;
    const end = 1 + Math.max(lastOf(line.all), lastOf(line.refused));
    return {
      width_ms: line.width,
      all: [...line.all.subarray(0, end)],
      refused: [...line.refused.subarray(0, end)],
    };
  }
}

/** Each two buckets become one. */
function widen(line: Line): void {
  line.width *= 2;
  for (const counts of [line.all, line.refused]) {
    for (let at = 0; at < BUCKETS / 2; at += 1)
      counts[at] = (counts[2 * at] ?? 0) + (counts[2 * at + 1] ?? 0);
    counts.fill(0, BUCKETS / 2);
  }
}

function lastOf(counts: Uint32Array): number {
  return counts.findLastIndex((count) => count > 0);
}
