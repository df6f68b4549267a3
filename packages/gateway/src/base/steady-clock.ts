/**
 * Epoch milliseconds of `clock` that never go back: while the clock stands behind its own past, time stands
 * still. Nobody gains a window, or a longer grant, by setting the clock back.
 */
export function steadyClock(clock: () => number): () => number {
  let last = Number.NEGATIVE_INFINITY;
  return () => {
    last = Math.max(last, clock());
    return last;
  };
}
