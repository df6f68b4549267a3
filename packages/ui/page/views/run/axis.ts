/** A stretch of time, and the stretch of the axis that it has. */
interface Stretch {
  readonly from: number;
  readonly to: number;
  /** Where it begins on the axis, and how long it is there. */
  readonly at: number;
  readonly length: number;
  readonly isIdle: boolean;
}

/** The time axis of a run, on which long stretches without anything are short. */
export interface Axis {
  readonly length: number;
  /** Where a time is on the axis. */
  place(ms: number): number;
  /** The time at a place. */
  time(place: number): number;
  /** Stretches that were shortened. */
  readonly idle: readonly { readonly at: number; readonly length: number; readonly ms: number }[];
}

const SHORTEST_IDLE_MS = 10_000;
/** The length of a shortened stretch, as a share of what is busy. */
const IDLE_SHARE = 0.02;

/**
 * Makes an axis over spans. A gap between them is shortened where it is longer than ten seconds and than a
 * twentieth of everything busy.
 */
export function axisOf(
  spans: readonly { readonly from: number; readonly to: number }[],
  collapse: boolean,
): Axis {
  const busy = unions(spans);
  const busyMs = Math.max(
    1,
    busy.reduce((sum, [from, to]) => sum + to - from, 0),
  );
  const longest = Math.max(SHORTEST_IDLE_MS, busyMs / 20);
  const stretches: Stretch[] = [];
  let at = 0;
  const add = (from: number, to: number, isIdle: boolean): void => {
    const length = isIdle ? Math.max(busyMs * IDLE_SHARE, 500) : to - from;
    stretches.push({ from, to, at, length, isIdle });
    at += length;
  };
  busy.forEach(([from, to], index) => {
    const before = busy[index - 1]?.[1];
    if (before !== undefined) add(before, from, collapse && from - before > longest);
    add(from, to, false);
  });
  if (stretches.length === 0) add(0, 1, false);
  const length = Math.max(1, at);
  return {
    length,
    place(ms) {
      const stretch = lastOf(stretches, ({ from }) => from <= ms);
      if (stretch === undefined) return 0;
      const within = Math.max(0, Math.min(ms, stretch.to) - stretch.from);
      const whole = stretch.to - stretch.from;
      return stretch.at + (whole === 0 ? 0 : (within / whole) * stretch.length);
    },
    time(place) {
      const stretch = lastOf(stretches, ({ at: begins }) => begins <= place);
      if (stretch === undefined) return 0;
      const share = stretch.length === 0 ? 0 : (place - stretch.at) / stretch.length;
      return stretch.from + Math.max(0, Math.min(1, share)) * (stretch.to - stretch.from);
    },
    idle: stretches
      .filter(({ isIdle }) => isIdle)
      .map(({ at: where, length: long, from, to }) => ({ at: where, length: long, ms: to - from })),
  };
}

/** Of stretches in their order the last one that has begun, or the first; a run may have one a call. */
function lastOf(stretches: readonly Stretch[], hasBegun: (stretch: Stretch) => boolean): Stretch | undefined {
  let [low, high] = [0, stretches.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const stretch = stretches[middle];
    if (stretch !== undefined && hasBegun(stretch)) low = middle;
    else high = middle - 1;
  }
  return stretches[low];
}

/** Overlapping spans as one, in their order. */
function unions(
  spans: readonly { readonly from: number; readonly to: number }[],
): readonly (readonly [number, number])[] {
  const found: [number, number][] = [];
  for (const { from, to } of spans.toSorted((one, other) => one.from - other.from)) {
    const last = found.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else found.push([from, to]);
  }
  return found;
}
