import type { ContentLine } from './component.js';

/**
 * A date or a time of iCalendar. `local` counts the seconds that a clock on the wall shows, as if it showed
 * UTC; `at` is a moment, in seconds since 1970.
 */
export type CalendarTime =
  | { readonly kind: 'date'; readonly local: number }
  | { readonly kind: 'utc'; readonly at: number }
  | { readonly kind: 'zoned'; readonly local: number; readonly zone: string }
  | { readonly kind: 'floating'; readonly local: number };

export const DAY = 86_400;

const VALUE = /^([0-9]{4})([0-9]{2})([0-9]{2})(?:T([0-9]{2})([0-9]{2})([0-9]{2})(Z?))?$/;
const DURATION =
  /^([+-]?)P(?:([0-9]{1,5})W|(?:([0-9]{1,5})D)?(?:T(?:([0-9]{1,6})H)?(?:([0-9]{1,6})M)?(?:([0-9]{1,6})S)?)?)$/;

/** The value of a line that holds one time; undefined where it is none. */
export function timeOf(line: ContentLine): CalendarTime | undefined {
  return readTime(line.value.trim(), line.params.get('TZID'));
}

/** The values of a line that holds a list of times; a period gives its start. Other values are left out. */
export function timesOf(line: ContentLine): readonly CalendarTime[] {
  return line.value.split(',').flatMap((value) => {
    const time = readTime(value.trim().replace(/\/.*$/, ''), line.params.get('TZID'));
    return time === undefined ? [] : [time];
  });
}

/** Reads `20260102`, `20260102T030405` or `20260102T030405Z`. */
export function readTime(value: string, zone: string | undefined): CalendarTime | undefined {
  const found = VALUE.exec(value);
  if (found === null) return undefined;
  const [year, month, day, hour = 0, minute = 0, second = 0] = found
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  // `Date.UTC` takes a year before 100 for one of the twentieth century.
  if (year === undefined || month === undefined || day === undefined || year < 1600) return undefined;
  const midnight = Date.UTC(year, month - 1, day) / 1000;
  const back = new Date(midnight * 1000);
  if (back.getUTCMonth() !== month - 1 || back.getUTCDate() !== day) return undefined;
  if (found[4] === undefined) return { kind: 'date', local: midnight };
  if (hour > 23 || minute > 59 || second > 60) return undefined;
  const local = midnight + hour * 3600 + minute * 60 + Math.min(second, 59);
  if (found[7] === 'Z') return { kind: 'utc', at: local };
  return zone === undefined ? { kind: 'floating', local } : { kind: 'zoned', local, zone };
}

/** Seconds of a DURATION; undefined where it is none, or negative. */
export function durationOf(value: string): number | undefined {
  const found = DURATION.exec(value.trim());
  if (found === null || found[1] === '-') return undefined;
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = found
    .slice(2)
    .map((part) => Number(part ?? 0));
  return ((weeks * 7 + days) * 24 + hours) * 3600 + minutes * 60 + seconds;
}

/** `20260102T030405`, of the seconds that a clock shows. */
export function writeLocal(local: number): string {
  return new Date(local * 1000).toISOString().slice(0, 19).replaceAll(/[-:]/g, '');
}

/** `20260102`. */
export function writeDate(local: number): string {
  return writeLocal(local).slice(0, 8);
}

/** `2026-01-02T03:04:05` of ISO 8601; a moment ends in `Z`. */
export function isoOf(time: CalendarTime): string {
  if (time.kind === 'utc') return `${new Date(time.at * 1000).toISOString().slice(0, 19)}Z`;
  const text = new Date(time.local * 1000).toISOString();
  return time.kind === 'date' ? text.slice(0, 10) : text.slice(0, 19);
}
