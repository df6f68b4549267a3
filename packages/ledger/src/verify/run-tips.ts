import { NO_LEAF } from '../entry/format.js';

/** The tip of a run's chain. `rp` is the leaf that the next entry has to name. */
export interface RunTip {
  ri: number;
  rp: string;
}

/** Follows each run's own chain. An ended run costs one bit, so that memory grows with open runs only. */
export class RunTips {
  readonly #tips = new Map<number, RunTip>();
  #ended = new Uint8Array(4096);
  #count = 0;

  /** Runs met so far, without the system chain. */
  get count(): number {
    return this.#count;
  }

  /** The tip of a run (0: system), or null after its end. */
  tip(run: number): RunTip | null {
    const known = this.#tips.get(run);
    if (known !== undefined) return known;
    if (this.#ended[run] === 1) return null;
    const fresh = { ri: 0, rp: NO_LEAF };
    this.#tips.set(run, fresh);
    if (run !== 0) this.#count += 1;
    return fresh;
  }

  end(run: number): void {
    this.#tips.delete(run);
    if (run >= this.#ended.length) {
      const larger = new Uint8Array(Math.max(run + 1, this.#ended.length * 2));
      larger.set(this.#ended);
      this.#ended = larger;
    }
    this.#ended[run] = 1;
  }
}
