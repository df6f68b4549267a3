import { HISTORY, Ring, SPARE } from './ring.js';

/** How many window entries a run has, and may have. */
export interface EntryCount {
  used: number;
  readonly max: number;
}

/** How many events a window keeps that no threshold needs now: what others need is never taken by those. */
export function spareIn({ used, max }: EntryCount): number {
  return used < max / 2 ? HISTORY : SPARE;
}

/**
 * The places that the errors of a breaker take: the first is free, since an error cannot be refused for want
 * of room.
 */
export function errorPlaces(ring: Ring): number {
  return Math.max(0, ring.size - 1);
}

/** The windows of one rule, by what is counted: the one that was touched longest ago first. */
export class Windows {
  readonly #rings = new Map<string, Ring>();

  find(entry: string): Ring | undefined {
    return this.#rings.get(entry);
  }

  /** Counts one event. False, and nothing is counted, where it needs a place and there is none. */
  push(
    entry: string,
    shape: { readonly keep: number; readonly windowMs: number },
    now: number,
    count: EntryCount,
  ): boolean {
    const ring = this.#rings.get(entry) ?? new Ring(shape.keep, shape.windowMs);
    const spare = spareIn(count);
    if (count.used + ring.growsBy(now, spare) > count.max) return false;
    ring.keep = shape.keep;
    ring.windowMs = shape.windowMs;
    const before = ring.size;
    ring.push(now, true, spare);
    count.used += ring.size - before;
    this.#rings.delete(entry);
    this.#rings.set(entry, ring);
    return true;
  }

  /** Takes the event of that time back. */
  remove(entry: string, time: number, count: EntryCount): void {
    const ring = this.#rings.get(entry);
    if (ring === undefined) return;
    const before = ring.size;
    ring.remove(time);
    count.used += ring.size - before;
    if (ring.size === 0) this.#rings.delete(entry);
  }

  /** Lets go of what no longer binds, from the oldest on; stops at the first that does. */
  dropOldest(now: number, count: EntryCount): void {
    for (const [entry, ring] of this.#rings) {
      if (!ring.isExpired(now)) return;
      count.used -= ring.size;
      this.#rings.delete(entry);
    }
  }

  /** Lets go of everything that no longer binds. */
  dropAll(now: number, count: EntryCount): void {
    for (const [entry, ring] of this.#rings) {
      if (!ring.isExpired(now)) continue;
      count.used -= ring.size;
      this.#rings.delete(entry);
    }
  }

  /** How many places `dropOldest` would free, counted up to `enough`. */
  freeable(now: number, enough: number): number {
    let places = 0;
    for (const ring of this.#rings.values()) {
      if (places >= enough || !ring.isExpired(now)) return places;
      places += ring.size;
    }
    return places;
  }

  get isEmpty(): boolean {
    return this.#rings.size === 0;
  }

  entries(): Iterable<readonly [entry: string, ring: Ring]> {
    return this.#rings;
  }

  /** Puts a window back behind the others. False where there is one, or no room. */
  restore(entry: string, ring: Ring, count: EntryCount): boolean {
    if (this.#rings.has(entry) || count.used + ring.size > count.max) return false;
    this.#rings.set(entry, ring);
    count.used += ring.size;
    return true;
  }
}
