import type { Run } from '../runs/run.js';

/** As many as a run may have shims can come back at once; then so many a second. */
const BURST = 128;
const PER_SECOND = 2;
/** What one that was not believed counts for besides: each is an entry that names all that it was charged. */
const REFUSED = 31;

/** How often the shims of one run may bring spools: each has to be read and verified as a whole, while others wait. */
export class SpoolPace {
  readonly #tokens = new WeakMap<Run, { left: number; atMs: number }>();

  /** False where the run has to come back later. */
  take(run: Run, nowMs: number): boolean {
    const known = this.#tokens.get(run) ?? { left: BURST, atMs: nowMs };
    const passed = Math.max(0, nowMs - known.atMs) / 1000;
    const left = Math.min(BURST, known.left + passed * PER_SECOND);
    const isTaken = left >= 1;
    this.#tokens.set(run, { left: isTaken ? left - 1 : left, atMs: Math.max(nowMs, known.atMs) });
    return isTaken;
  }

  /** One that was brought was not believed. */
  refused(run: Run): void {
    const known = this.#tokens.get(run);
    if (known !== undefined) this.#tokens.set(run, { ...known, left: known.left - REFUSED });
  }
}
