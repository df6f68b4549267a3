import { type Component, componentsIn, lineIn, linesIn } from './component.js';
import { type Budget, occurrences } from './recur.js';
import { readRule, type Rule } from './rule.js';
import { DAY, timeOf, timesOf } from './time.js';

/** A time zone: what its clocks show at a moment, and which moment is meant by what they show. In seconds. */
export interface Zone {
  toLocal(at: number): number;
  /** Of a time that clocks show twice the first, of one that they leave out the one after the gap. RFC 5545 §3.3.5. */
  toMoment(local: number): number;
}

/** Clocks that show UTC. */
export const UTC: Zone = { toLocal: (at) => at, toMoment: (local) => local };

const HALF_DAY = 43_200;
const YEAR = 366 * DAY;

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

/**
 * The zone that a VTIMEZONE describes, good from two years before a range (moments) to one year behind it: some begin in 1601, and
 * what was before costs more than it tells. Undefined where it describes none.
 */
export function describedZone(
  component: Component,
  range: { readonly from: number; readonly to: number },
  budget: Budget,
): Zone | undefined {
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
        start.local,
        ...(rule === undefined
          ? []
          : occurrences({
              rule,
              start: start.local,
              from: Math.max(start.local, firstNeeded(rule, range.from)),
              to: range.to + YEAR + from,
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

/** Of a rule that has ended its last changes count for ever. One with a count is counted from its start anyway. */
function firstNeeded({ count, until }: Rule, from: number): number {
  if (count !== undefined) return -Infinity;
  const end = until === undefined ? from : until.kind === 'utc' ? until.at : until.local;
  return Math.min(from, end) - 2 * YEAR;
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

/** Days and quarters of an hour whose offsets are remembered. */
const MAX_REMEMBERED = 20_000;

/** Asking the runtime is slow: a stretch with the same offset at both of its ends has it all through. */
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

function offsetIn(component: Component, name: string): number | undefined {
  const found = /^([+-])([0-9]{2})([0-9]{2})([0-9]{2})?$/.exec(lineIn(component, name)?.value.trim() ?? '');
  if (found === null) return undefined;
  const [hours = 0, minutes = 0, seconds = 0] = found.slice(2).map((part) => Number(part ?? 0));
  if (hours > 18 || minutes > 59 || seconds > 59) return undefined;
  return (found[1] === '-' ? -1 : 1) * (hours * 3600 + minutes * 60 + seconds);
}
