import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type RunShare, RunShares } from './share.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'], now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

const now = (): number => performance.now();

/** A connection that asks for `frames` as fast as it is let, each of so many characters. */
class Asker {
  served = 0;
  #left = 0;
  readonly #pace: RunShare;
  readonly #characters: number;
  readonly #resume = (): void => this.#pump();

  constructor(pace: RunShare, characters = 500) {
    this.#pace = pace;
    this.#characters = characters;
  }

  ask(frames: number): void {
    this.#left += frames;
    this.#pump();
  }

  gone(): void {
    this.#left = 0;
    this.#pace.leave(this.#resume);
  }

  #pump(): void {
    for (; this.#left > 0; this.#left -= 1) {
      if (!this.#pace.mayGo) {
        this.#pace.wait(this.#resume);
        return;
      }
      this.#pace.count(this.#characters);
      this.served += 1;
    }
  }
}

/** One who asks for a frame, and for the next 20 ms after its answer. */
function calm(pace: RunShare, forMs: number): Asker {
  const asker = new Asker(pace);
  for (let at = 0; at < forMs; at += 20) setTimeout(() => asker.ask(1), at);
  return asker;
}

const world = (): RunShares => new RunShares(now);

describe('the pace of runs', () => {
  it('is none for a run alone, whatever it asks for', () => {
    const flood = new Asker(world().open());
    flood.ask(10_000);
    expect(flood.served).toBe(10_000);
  });

  it('gives a run that takes more than its share 150 frames a second while a calm one is about', () => {
    const all = world();
    const quiet = calm(all.open(), 2000);
    vi.advanceTimersByTime(0);
    const flood = new Asker(all.open());
    flood.ask(10_000);
    // What it may be ahead, and the one that crosses it.
    expect(flood.served).toBe(201);
    vi.advanceTimersByTime(2000);
    expect(quiet.served).toBe(100);
    expect(flood.served).toBeGreaterThan(201 + 280);
    expect(flood.served).toBeLessThanOrEqual(201 + 300);
  });

  it('counts a frame of many characters as many', () => {
    const all = world();
    calm(all.open(), 2000);
    vi.advanceTimersByTime(0);
    const flood = new Asker(all.open(), 200_000);
    flood.ask(1000);
    // 20 each: 220 are 20 too many.
    expect(flood.served).toBe(11);
    vi.advanceTimersByTime(2000);
    expect(flood.served).toBe(11 + 14);
  });

  it('is over as soon as the calm run is gone, and five seconds after it asked last', () => {
    const all = world();
    const quiet = all.open();
    const flood = new Asker(all.open());
    new Asker(quiet).ask(1);
    flood.ask(10_000);
    expect(flood.served).toBe(201);
    quiet.gone();
    vi.advanceTimersByTime(10);
    expect(flood.served).toBe(10_000);

    new Asker(quiet).ask(1);
    flood.ask(10_000);
    vi.advanceTimersByTime(4990);
    expect(flood.served).toBeLessThan(10_000 + 201 + 2000);
    vi.advanceTimersByTime(20);
    expect(flood.served).toBe(20_000);
  });

  it('is none among runs that all ask for much: whoever is paced keeps nobody else back', () => {
    const all = world();
    const floods = Array.from({ length: 3 }, () => new Asker(all.open()));
    for (const flood of floods) flood.ask(50);
    for (const flood of floods) flood.ask(10_000);
    vi.advanceTimersByTime(2000);
    for (const flood of floods) expect(flood.served).toBe(10_050);
  });

  it('is the same for several that ask for much beside a calm one', () => {
    const all = world();
    calm(all.open(), 2000);
    vi.advanceTimersByTime(0);
    const floods = Array.from({ length: 3 }, () => new Asker(all.open()));
    for (const flood of floods) flood.ask(10_000);
    vi.advanceTimersByTime(2000);
    const [least = 0, , most = 0] = floods.map(({ served }) => served).toSorted((a, b) => a - b);
    expect(least).toBeGreaterThan(201 + 280);
    expect(most - least).toBeLessThanOrEqual(1);
  });

  it('lets nobody wait longer than a second for what came before, however large that was', () => {
    const all = world();
    calm(all.open(), 2000);
    vi.advanceTimersByTime(0);
    const flood = new Asker(all.open(), 8_000_000);
    flood.ask(10);
    expect(flood.served).toBe(1);
    vi.advanceTimersByTime(1001);
    expect(flood.served).toBe(2);
  });

  it('is shared by all connections of a run, in the order in which they wait', () => {
    const all = world();
    calm(all.open(), 2000);
    vi.advanceTimersByTime(0);
    const pace = all.open();
    const connections = Array.from({ length: 4 }, () => new Asker(pace));
    for (const connection of connections) connection.ask(10_000);
    expect(connections.map(({ served }) => served)).toEqual([201, 0, 0, 0]);
    vi.advanceTimersByTime(2000);
    const [least = 0, , , most = 0] = connections
      .map(({ served }, at) => served - (at === 0 ? 201 : 0))
      .toSorted((a, b) => a - b);
    expect(least).toBeGreaterThan(70);
    expect(most - least).toBeLessThanOrEqual(8);
  });

  it('leaves no timer behind for who is gone', () => {
    const all = world();
    new Asker(all.open()).ask(1);
    const flood = new Asker(all.open());
    flood.ask(1000);
    expect(vi.getTimerCount()).toBe(1);
    flood.gone();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('starves nobody, and a run within its share never waits', () => {
    const runs = fc.array(
      fc.record({ everyMs: fc.integer({ min: 1, max: 60 }), frames: fc.integer({ min: 1, max: 40 }) }),
      { minLength: 1, maxLength: 8 },
    );
    fc.assert(
      fc.property(runs, (shapes) => {
        vi.clearAllTimers();
        const all = world();
        const askers = shapes.map(() => new Asker(all.open()));
        for (let at = 0; at < 1500; at += 1) {
          for (const [index, { everyMs, frames }] of shapes.entries())
            if (at % everyMs === 0) askers[index]?.ask(frames);
          vi.advanceTimersByTime(1);
        }
        for (const [index, { everyMs, frames }] of shapes.entries()) {
          const asked = Math.ceil(1500 / everyMs) * frames;
          const { served } = askers[index] ?? { served: -1 };
          if (frames / everyMs <= 0.15) expect(served).toBe(asked);
          else expect(served).toBeGreaterThan(Math.min(asked - 1, 0.14 * 1500));
        }
      }),
      { numRuns: 12 },
    );
  });
});
