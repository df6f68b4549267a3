/** Who is ended; the last two at once, so that nobody is left to clean up for the other. */
export const TARGETS = [
  'gateway',
  'shim',
  'server',
  'client',
  'gateway and shim',
  'gateway and client',
] as const;
export type Target = (typeof TARGETS)[number];

/**
 * When. `asked`: calls are on their way to the shim and nobody has answered. `recorded`: the ledger has just
 * grown by a decision, which has not left the gateway. `executed`: the server has done it and not answered.
 * `answered`: the client has the answer, and the end of the call is not reported yet.
 */
export const POINTS = ['asked', 'recorded', 'executed', 'answered', 'any'] as const;
export type Point = (typeof POINTS)[number];

export interface Cycle {
  readonly target: Target;
  readonly point: Point;
  /** For `any`: how long after the last cycle, in milliseconds. */
  readonly afterMs: number;
  /** Which shim. */
  readonly shim: number;
}

/** Whom and when, in every combination. */
export const PAIRS = TARGETS.flatMap((target) => POINTS.map((point) => ({ target, point })));

/** Every pair of target and point in turn, then pairs by chance; the same for the same seed. */
export function* cycles(count: number, shims: number, seed: number): Generator<Cycle> {
  let state = seed;
  const chance = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  for (let n = 0; n < count; n += 1) {
    const pair = PAIRS[n < PAIRS.length ? n : chance(PAIRS.length)];
    if (pair !== undefined) yield { ...pair, afterMs: chance(120), shim: chance(shims) };
  }
}
