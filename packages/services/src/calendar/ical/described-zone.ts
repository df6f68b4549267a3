import { type Component, componentsIn, lineIn, linesIn } from './component.js';
import { type Budget, occurrences } from './recur.js';
import { readRule, type Rule } from './rule.js';
import { DAY, timeOf, timesOf } from './time.js';
import { type Zone, zoneOf } from './zone.js';

const YEAR = 366 * DAY;

interface Change {
  readonly at: number;
  readonly offset: number;
}

/**
 * The zone that a VTIMEZONE describes, right from two years before a range (moments) to one year after it:
 * some begin in 1601, and counting from there costs more than it tells. Undefined where the component
 * describes no zone.
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

/**
 * The last changes of a rule that has ended count for ever. A rule with a count is counted from its start
 * anyway.
 */
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

function offsetIn(component: Component, name: string): number | undefined {
  const found = /^([+-])([0-9]{2})([0-9]{2})([0-9]{2})?$/.exec(lineIn(component, name)?.value.trim() ?? '');
  if (found === null) return undefined;
  const [hours = 0, minutes = 0, seconds = 0] = found.slice(2).map((part) => Number(part ?? 0));
  if (hours > 18 || minutes > 59 || seconds > 59) return undefined;
  return (found[1] === '-' ? -1 : 1) * (hours * 3600 + minutes * 60 + seconds);
}
