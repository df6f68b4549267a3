import { type Component, componentsIn, lineIn, linesIn } from './component.js';
import { type Budget, occurrences } from './recur.js';
import { readRule } from './rule.js';
import { timeOf, timesOf } from './time.js';

/** A time zone: what its clocks show at a moment, and which moment is meant by what they show. In seconds. */
export interface Zone {
  toLocal(at: number): number;
  /** Of a time that clocks show twice the first, of one that they leave out the one after the gap. RFC 5545 §3.3.5. */
  toMoment(local: number): number;
}

/** Clocks that show UTC. */
export const UTC: Zone = { toLocal: (at) => at, toMoment: (local) => local };

const HALF_DAY = 43_200;

/** A zone by what its offset is, in seconds east of UTC, at a moment. */
function zoneOf(offsetAt: (at: number) => number): Zone {
  return {
    toLocal: (at) => at + offsetAt(at),
    toMoment: (local) => {
      // Offsets are less than a day: these two are on either side of the change, if there is one.
      const before = offsetAt(local - 2 * HALF_DAY);
      const after = offsetAt(local + 2 * HALF_DAY);
      if (before === after || offsetAt(local - before) === before) return local - before;
      return offsetAt(local - after) === after ? local - after : local - before;
    },
  };
}

interface Change {
  readonly at: number;
  readonly offset: number;
}

/** The zone that a VTIMEZONE describes, good up to `until` (a moment). Undefined where it describes none. */
export function describedZone(component: Component, until: number, budget: Budget): Zone | undefined {
  const changes: Change[] = [];
  let first: { at: number; before: number } | undefined;
  for (const name of ['STANDARD', 'DAYLIGHT']) {
    for (const part of componentsIn(component, name)) {
      const [from, to] = [offsetIn(part, 'TZOFFSETFROM'), offsetIn(part, 'TZOFFSETTO')];
      const startLine = lineIn(part, 'DTSTART');
      const start = startLine === undefined ? undefined : timeOf(startLine);
      if (from === undefined || to === undefined || start === undefined || !('local' in start))
        return undefined;
      const rule = readRule(lineIn(part, 'RRULE')?.value);
      const onsets = [
        ...(rule === undefined
          ? [start.local]
          : occurrences({
              rule,
              start: start.local,
              from: start.local,
              to: until + from,
              zone: zoneOf(() => from),
              budget,
            })),
        ...linesIn(part, 'RDATE')
          .flatMap(timesOf)
          .flatMap((time) => ('local' in time ? [time.local] : [])),
      ];
      for (const onset of onsets) changes.push({ at: onset - from, offset: to });
      if (first === undefined || start.local - from < first.at)
        first = { at: start.local - from, before: from };
    }
  }
  if (first === undefined) return undefined;
  const sorted = changes.toSorted((one, other) => one.at - other.at);
  const { before } = first;
  return zoneOf((at) => lastBefore(sorted, at)?.offset ?? before);
}

function lastBefore(changes: readonly Change[], at: number): Change | undefined {
  let [low, high] = [0, changes.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((changes[middle]?.at ?? Infinity) <= at) low = middle + 1;
    else high = middle;
  }
  return changes[low - 1];
}

/** The zone of that name in the IANA database, as the runtime has it; undefined where it has none. */
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
  return zoneOf((at) => {
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
  });
}

function offsetIn(component: Component, name: string): number | undefined {
  const found = /^([+-])([0-9]{2})([0-9]{2})([0-9]{2})?$/.exec(lineIn(component, name)?.value.trim() ?? '');
  if (found === null) return undefined;
  const [hours = 0, minutes = 0, seconds = 0] = found.slice(2).map((part) => Number(part ?? 0));
  if (hours > 18 || minutes > 59 || seconds > 59) return undefined;
  return (found[1] === '-' ? -1 : 1) * (hours * 3600 + minutes * 60 + seconds);
}
