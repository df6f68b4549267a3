import { type CalendarTime, readTime } from './time.js';

const FREQUENCIES = ['YEARLY', 'MONTHLY', 'WEEKLY', 'DAILY', 'HOURLY', 'MINUTELY', 'SECONDLY'] as const;
export type Frequency = (typeof FREQUENCIES)[number];

/** One item of BYDAY: the nth weekday, or every one where `nth` is 0. Sunday is 0. */
export interface RuleDay {
  readonly nth: number;
  readonly weekday: number;
}

/**
 * A recurrence rule (https://www.rfc-editor.org/rfc/rfc5545#section-3.3.10). A list that is undefined limits
 * nothing.
 */
export interface Rule {
  readonly frequency: Frequency;
  readonly interval: number;
  readonly count: number | undefined;
  readonly until: CalendarTime | undefined;
  readonly weekStart: number;
  readonly bySecond: readonly number[] | undefined;
  readonly byMinute: readonly number[] | undefined;
  readonly byHour: readonly number[] | undefined;
  readonly byDay: readonly RuleDay[] | undefined;
  readonly byMonthDay: readonly number[] | undefined;
  readonly byYearDay: readonly number[] | undefined;
  readonly byWeekNo: readonly number[] | undefined;
  readonly byMonth: readonly number[] | undefined;
  readonly bySetPos: readonly number[] | undefined;
}

const WEEKDAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];
const MAX_INTERVAL = 10_000;
/** Times of one day. */
const MAX_TIMES = 1440;

/**
 * Reads a rule; undefined where it is none or has an unknown part, since half a rule would be another one.
 */
export function readRule(value: string | undefined): Rule | undefined {
  if (value === undefined || value.length > 2048) return undefined;
  const parts = new Map<string, string>();
  for (const part of value.trim().toUpperCase().split(';')) {
    if (part === '') continue;
    const [name = '', text, ...more] = part.split('=');
    if (text === undefined || more.length > 0 || parts.has(name) || !KNOWN.has(name)) return undefined;
    parts.set(name, text);
  }
  const frequency = FREQUENCIES.find((one) => one === parts.get('FREQ'));
  const interval = oneNumber(parts.get('INTERVAL') ?? '1', MAX_INTERVAL);
  const count = parts.has('COUNT') ? oneNumber(parts.get('COUNT') ?? '', 1e9) : undefined;
  const until = parts.has('UNTIL') ? readTime(parts.get('UNTIL') ?? '', undefined) : undefined;
  const weekStart = WEEKDAYS.indexOf(parts.get('WKST') ?? 'MO');
  const lists = {
    bySecond: numbers(parts.get('BYSECOND'), 0, 60),
    byMinute: numbers(parts.get('BYMINUTE'), 0, 59),
    byHour: numbers(parts.get('BYHOUR'), 0, 23),
    byDay: days(parts.get('BYDAY')),
    byMonthDay: numbers(parts.get('BYMONTHDAY'), -31, 31),
    byYearDay: numbers(parts.get('BYYEARDAY'), -366, 366),
    byWeekNo: numbers(parts.get('BYWEEKNO'), -53, 53),
    byMonth: numbers(parts.get('BYMONTH'), 1, 12),
    bySetPos: numbers(parts.get('BYSETPOS'), -366, 366),
  };
  const given = [...parts.keys()].filter((name) => name.startsWith('BY')).length;
  if (Object.values(lists).filter((list) => list !== undefined).length !== given) return undefined;
  if (frequency === undefined || interval === undefined || weekStart < 0) return undefined;
  if (parts.has('COUNT') !== (count !== undefined) || parts.has('UNTIL') !== (until !== undefined))
    return undefined;
  const times = [lists.byHour, lists.byMinute, lists.bySecond].map((list) => list?.length ?? 1);
  if (times.reduce((all, one) => all * one, 1) > MAX_TIMES) return undefined;
  return { frequency, interval, count, until, weekStart, ...lists };
}

const KNOWN = new Set([
  'FREQ',
  'INTERVAL',
  'COUNT',
  'UNTIL',
  'WKST',
  'BYSECOND',
  'BYMINUTE',
  'BYHOUR',
  'BYDAY',
  'BYMONTHDAY',
  'BYYEARDAY',
  'BYWEEKNO',
  'BYMONTH',
  'BYSETPOS',
]);

function oneNumber(text: string, max: number): number | undefined {
  const value = /^[0-9]{1,10}$/.test(text) ? Number(text) : 0;
  return value >= 1 && value <= max ? value : undefined;
}

function numbers(text: string | undefined, min: number, max: number): readonly number[] | undefined {
  if (text === undefined) return undefined;
  const items = text.split(',');
  const values = items.filter((item) => /^[+-]?[0-9]{1,3}$/.test(item)).map(Number);
  const fits = values.every((value) => value >= min && value <= max && (value !== 0 || min === 0));
  return values.length === items.length && fits ? [...new Set(values)] : undefined;
}

function days(text: string | undefined): readonly RuleDay[] | undefined {
  if (text === undefined) return undefined;
  const read = text.split(',').map((item): RuleDay | undefined => {
    const found = /^([+-]?[0-9]{1,2})?(SU|MO|TU|WE|TH|FR|SA)$/.exec(item);
    if (found === null) return undefined;
    const nth = found[1] === undefined ? 0 : Number(found[1]);
    if (found[1] !== undefined && (nth === 0 || Math.abs(nth) > 53)) return undefined;
    return { nth, weekday: WEEKDAYS.indexOf(found[2] ?? '') };
  });
  return read.every((day): day is RuleDay => day !== undefined) ? read : undefined;
}
