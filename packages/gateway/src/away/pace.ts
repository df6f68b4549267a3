import type { Run } from '../runs/run.js';

/** As many as a run may have shims can come back at once; then so many a second. */
const BURST = 128;
const PER_SECOND = 2;

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
}
