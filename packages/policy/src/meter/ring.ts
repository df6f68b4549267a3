/**
 * How many of the youngest events are kept past those that a threshold needs, so that events which are taken
 * back leave the threshold what it needs.
 */
export const SPARE = 16;

/**
 * How many are kept past those that a threshold needs while there is room for all of them, for a higher one
 * that comes later. As many as a run may have open calls: once the threshold is reached no more than those
 * can still fail.
 */
export const HISTORY = 1024;

/** The youngest events of a sliding window, by their times. Events of one millisecond share a place. */
export class Ring {
  /** The threshold that is asked for. */
  keep: number;
  windowMs: number;
  /** Whether the last call found its threshold reached. */
  open = false;
  readonly #times: number[] = [];
  readonly #counts: number[] = [];
  #total = 0;

  constructor(keep: number, windowMs: number) {
    this.keep = keep;
    this.windowMs = windowMs;
  }

  /** How many places it takes. */
  get size(): number {
    return this.#times.length;
  }

  /** The time of the youngest event. */
  get last(): number {
    return this.#times.at(-1) ?? -Infinity;
  }

  /** Whether nothing of it binds any more. */
  isExpired(now: number): boolean {
    return this.last <= now - this.windowMs;
  }

  /** Events that are younger than `windowMs`. */
  count(now: number, windowMs: number): number {
    let total = 0;
    for (let at = this.#times.length - 1; at >= 0 && (this.#times[at] ?? 0) > now - windowMs; at -= 1) {
      total += this.#counts[at] ?? 0;
    }
    return total;
  }

  /** Whether so many events are younger than `windowMs`. */
  reaches(threshold: number, now: number, windowMs: number): boolean {
    return this.#nth(threshold) > now - windowMs;
  }

  /** How long it is until fewer than `threshold` events are younger than `windowMs`. */
  wait(threshold: number, now: number, windowMs: number): number {
    return Math.max(0, this.#nth(threshold) + windowMs - now);
  }

  /**
   * How many places one more event at `now` takes more: one or none. `spare`: how many are kept that no
   * threshold needs.
   */
  growsBy(now: number, spare: number): number {
    if (this.last === now) return 0;
    const isFull = this.#total + 1 - (this.#counts[0] ?? 0) >= this.#most(spare);
    const goes = isFull || (this.#times[0] ?? now) <= now - this.windowMs;
    return goes ? 0 : 1;
  }

  push(now: number, isRoom: boolean, spare: number): void {
    const { length } = this.#times;
    const most = this.#most(spare);
    this.#total += 1;
    if (this.last === now || (!isRoom && length > 0)) {
      // Without room the youngest event stands for both: the older of the two binds longer than it would.
      this.#times[length - 1] = now;
      this.#counts[length - 1] = (this.#counts[length - 1] ?? 0) + 1;
      return;
    }
    this.#times.push(now);
    this.#counts.push(1);
    while (this.#total - (this.#counts[0] ?? 0) >= most || (this.#times[0] ?? now) <= now - this.windowMs) {
      this.#times.shift();
      this.#total -= this.#counts.shift() ?? 0;
    }
  }

  /** Takes one event of that time back, if it is still there. */
  remove(time: number): void {
    const at = this.#times.lastIndexOf(time);
    if (at === -1) return;
    this.#total -= 1;
    const left = (this.#counts[at] ?? 0) - 1;
    if (left > 0) this.#counts[at] = left;
    else {
      this.#times.splice(at, 1);
      this.#counts.splice(at, 1);
    }
  }

  /** Times and counts of all events. */
  toJSON(): readonly number[] {
    return this.#flat(0);
  }

  /** Of those that its threshold needs. */
  needed(): readonly number[] {
    let total = 0;
    let from = this.#times.length;
    while (from > 0 && total < this.keep) total += this.#counts[(from -= 1)] ?? 0;
    return this.#flat(from);
  }

  #flat(from: number): readonly number[] {
    const flat: number[] = [];
    for (let at = from; at < this.#times.length; at += 1)
      flat.push(this.#times[at] ?? 0, this.#counts[at] ?? 0);
    return flat;
  }

  /** Puts events back that `toJSON` or `needed` gave. */
  restore(flat: readonly number[]): void {
    for (let at = 0; at < flat.length; at += 2) {
      this.#times.push(flat[at] ?? 0);
      this.#counts.push(flat[at + 1] ?? 0);
      this.#total += flat[at + 1] ?? 0;
    }
  }

  /** The time of the youngest event that has `nth - 1` events behind it. */
  #nth(nth: number): number {
    let total = 0;
    for (let at = this.#times.length - 1; at >= 0; at -= 1) {
      total += this.#counts[at] ?? 0;
      if (total >= nth) return this.#times[at] ?? -Infinity;
    }
    return -Infinity;
  }

  /** How many events are kept: where no more may be, those that there are stay as many. */
  #most(spare: number): number {
    return Math.min(Math.max(this.keep + spare, this.#total), this.keep + HISTORY);
  }
}
