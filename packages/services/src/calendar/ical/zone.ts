import { DAY } from './time.js';

/** A time zone: it turns moments into the times that its clocks show, and back. In seconds. */
export interface Zone {
  toLocal(at: number): number;
  /**
   * Of a time that clocks show twice, the first moment; of a time that they leave out, the one after the gap
   * (https://www.rfc-editor.org/rfc/rfc5545#section-3.3.5).
   */
  toMoment(local: number): number;
}

/** Clocks that show UTC. */
export const UTC: Zone = { toLocal: (at) => at, toMoment: (local) => local };

const HALF_DAY = 43_200;

/** The zone with that offset, in seconds east of UTC, at a moment. */
export function zoneOf(offsetAt: (at: number) => number): Zone {
  return {
    toLocal: (at) => at + offsetAt(at),
    toMoment: (local) => {
      // An offset is less than a day: these two are on either side of a change.
      const before = offsetAt(local - 2 * HALF_DAY);
      const after = offsetAt(local + 2 * HALF_DAY);
      if (before === after || offsetAt(local - before) === before) return local - before;
      return offsetAt(local - after) === after ? local - after : local - before;
    },
  };
}

/** The zone of that name in the runtime's IANA database; undefined where it has none. */
export function namedZone(name: string): Zone | undefined {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    return undefined;
  }
  return zoneOf(
    remembering((at) => {
      const shown = new Map(format.formatToParts(at * 1000).map(({ type, value }) => [type, Number(value)]));
      const part = (type: Intl.DateTimeFormatPartTypes): number => shown.get(type) ?? 0;
      const local = Date.UTC(
        part('year'),
        part('month') - 1,
        part('day'),
        part('hour'),
        part('minute'),
        part('second'),
      );
      return local / 1000 - at;
    }),
  );
}

/** Offsets that one zone remembers, of days and quarters of an hour. */
const MAX_REMEMBERED = 20_000;

/** Asking the runtime is slow. A stretch with the same offset at both ends has it all through. */
function remembering(offsetAt: (at: number) => number): (at: number) => number {
  const known = new Map<number, number>();
  const remembered = (at: number): number => {
    const before = known.get(at);
    if (before !== undefined) return before;
    const offset = offsetAt(at);
    if (known.size < MAX_REMEMBERED) known.set(at, offset);
    return offset;
  };
  return (at) => {
    for (const stretch of [DAY, 900]) {
      const begin = Math.floor(at / stretch) * stretch;
      const offset = remembered(begin);
      if (remembered(begin + stretch) === offset) return offset;
    }
    return offsetAt(at);
  };
}
