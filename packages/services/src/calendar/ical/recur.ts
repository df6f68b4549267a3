import type { Frequency, Rule } from './rule.js';
import { DAY } from './time.js';
import type { Zone } from './zone.js';

/** The rest of the days that reading one answer may look at: a rule that matches nothing ends there. */
export interface Budget {
  left: number;
}

/** A rule to expand. Times are the seconds that clocks show where the event is. */
export interface Recurring {
  readonly rule: Rule;
  /** The first occurrence, which counts even if the rule does not match it. */
  readonly start: number;
  /** Only these are wanted, both included. */
  readonly from: number;
  readonly to: number;
  readonly zone: Zone;
  readonly budget: Budget;
}

/** The longest period of a frequency, in seconds. */
const LONGEST: Readonly<Record<Frequency, number>> = {
  YEARLY: 366 * DAY,
  MONTHLY: 31 * DAY,
  WEEKLY: 7 * DAY,
  DAILY: DAY,
  HOURLY: 3600,
  MINUTELY: 60,
  SECONDLY: 1,
};

/**
 * The times of a recurrence rule within a range, in their order
 * (https://www.rfc-editor.org/rfc/rfc5545#section-3.3.10). Where the budget ends before the range does, it
 * gives the times found so far; `budget.left` is then not above zero.
 */
export function occurrences(recurring: Recurring): readonly number[] {
  const { rule, start, from, to, zone, budget } = recurring;
  const last = Math.min(to, untilOf(rule, zone));
  const found: number[] = [];
  let taken = 0;
  const take = (time: number): boolean => {
    taken += 1;
    if (time > last || (rule.count !== undefined && taken > rule.count)) return false;
    if (time >= from) found.push(time);
    return true;
  };
  if (!take(start)) return start >= from && start <= to ? [start] : [];
  const whole = withDefaults(rule, start);
  // A count is counted from the start; without one, the days before the range need not be looked at.
  const skipped = rule.count === undefined ? (from - start) / (LONGEST[rule.frequency] * rule.interval) : 0;
  for (let index = Math.max(0, Math.floor(skipped) - 1); budget.left > 0; index += 1) {
    const begin = periodStart(rule, start, index);
    if (begin > last) break;
    for (const time of timesIn(whole, begin, budget)) if (time > start && !take(time)) return found;
  }
  return found;
}

function untilOf({ until }: Rule, zone: Zone): number {
  if (until === undefined) return Infinity;
  if (until.kind === 'utc') return zone.toLocal(until.at);
  return until.kind === 'date' ? until.local + DAY - 1 : until.local;
}

/** A rule whose missing parts are filled in from the start. */
interface Whole extends Rule {
  readonly times: readonly number[];
}

function withDefaults(rule: Rule, start: number): Whole {
  const { month, dayOfMonth, weekday } = dateOf(start);
  const { frequency, byDay, byMonthDay, byYearDay, byWeekNo } = rule;
  const own = { nth: 0, weekday };
  const saysDay = [byDay, byMonthDay, byYearDay, byWeekNo].some((list) => list !== undefined);
  const times = timesOfDay(rule, start);
  if (frequency === 'YEARLY' && !saysDay)
    return { ...rule, times, byMonth: rule.byMonth ?? [month], byMonthDay: [dayOfMonth] };
  if (frequency === 'YEARLY' && byWeekNo !== undefined && !byDay && !byMonthDay && !byYearDay)
    return { ...rule, times, byDay: [own] };
  if (frequency === 'MONTHLY' && !saysDay) return { ...rule, times, byMonthDay: [dayOfMonth] };
  if (frequency === 'WEEKLY' && byDay === undefined) return { ...rule, times, byDay: [own] };
  return { ...rule, times };
}

/** Seconds after the beginning of a day, or of the hour or minute where the rule repeats as often. */
function timesOfDay({ frequency, byHour, byMinute, bySecond }: Rule, start: number): readonly number[] {
  const hours =
    frequency === 'HOURLY' || isWithinHour(frequency) ? [0] : (byHour ?? [Math.floor((start % DAY) / 3600)]);
  const minutes = isWithinHour(frequency) ? [0] : (byMinute ?? [Math.floor((start % 3600) / 60)]);
  const seconds = frequency === 'SECONDLY' ? [0] : (bySecond ?? [start % 60]);
  return hours
    .flatMap((hour) =>
      minutes.flatMap((minute) => seconds.map((second) => hour * 3600 + minute * 60 + second)),
    )
    .toSorted((one, other) => one - other);
}

function isWithinHour(frequency: Frequency): boolean {
  return frequency === 'MINUTELY' || frequency === 'SECONDLY';
}

function periodStart({ frequency, interval, weekStart }: Rule, start: number, index: number): number {
  const { year, month, weekday } = dateOf(start);
  const steps = index * interval;
  if (frequency === 'YEARLY') return Date.UTC(year + steps, 0, 1) / 1000;
  if (frequency === 'MONTHLY') return Date.UTC(year, month - 1 + steps, 1) / 1000;
  const day = Math.floor(start / DAY) * DAY;
  if (frequency === 'WEEKLY') return day - ((weekday - weekStart + 7) % 7) * DAY + steps * 7 * DAY;
  const unit = LONGEST[frequency];
  return Math.floor(start / unit) * unit + steps * unit;
}

function timesIn(rule: Whole, begin: number, budget: Budget): readonly number[] {
  const { bySetPos } = rule;
  const times =
    LONGEST[rule.frequency] >= DAY ? timesOfDays(rule, begin, budget) : timesWithinDay(rule, begin, budget);
  if (bySetPos === undefined) return times;
  const places = new Set(bySetPos.map((place) => (place > 0 ? place - 1 : times.length + place)));
  return times.filter((_time, place) => places.has(place));
}

function timesOfDays(rule: Whole, begin: number, budget: Budget): readonly number[] {
  const days: number[] = [];
  for (const [from, end] of spansOf(rule, begin)) {
    for (let day = from; day < end; day += DAY) {
      budget.left -= 1;
      if (dayFits(rule, dateOf(day))) days.push(day);
    }
  }
  budget.left -= days.length * rule.times.length;
  return days.flatMap((day) => rule.times.map((time) => day + time));
}

/** The days of a period that can fit at all: of a year only the months that the rule names. */
function spansOf({ frequency, byMonth }: Whole, begin: number): readonly (readonly [number, number])[] {
  if (frequency !== 'YEARLY' || byMonth === undefined) return [[begin, periodEnd(frequency, begin)]];
  const { year } = dateOf(begin);
  return byMonth
    .toSorted((one, other) => one - other)
    .map((month) => [Date.UTC(year, month - 1, 1) / 1000, Date.UTC(year, month, 1) / 1000]);
}

function periodEnd(frequency: Frequency, begin: number): number {
  const { year, month } = dateOf(begin);
  if (frequency === 'YEARLY') return Date.UTC(year + 1, 0, 1) / 1000;
  return frequency === 'MONTHLY' ? Date.UTC(year, month, 1) / 1000 : begin + LONGEST[frequency];
}

function timesWithinDay(rule: Whole, begin: number, budget: Budget): readonly number[] {
  budget.left -= 1;
  const { frequency, byHour, byMinute, bySecond } = rule;
  const [hour, minute] = [Math.floor((begin % DAY) / 3600), Math.floor((begin % 3600) / 60)];
  const fits =
    byHour?.includes(hour) !== false &&
    (frequency === 'HOURLY' || byMinute?.includes(minute) !== false) &&
    (frequency !== 'SECONDLY' || bySecond?.includes(begin % 60) !== false) &&
    dayFits(rule, dateOf(begin));
  if (!fits) return [];
  budget.left -= rule.times.length;
  return rule.times.map((time) => begin + time);
}

interface CivilDate {
  readonly year: number;
  readonly month: number;
  readonly dayOfMonth: number;
  readonly weekday: number;
  /** Days since 1970. */
  readonly day: number;
}

function dateOf(local: number): CivilDate {
  const date = new Date(local * 1000);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    dayOfMonth: date.getUTCDate(),
    weekday: date.getUTCDay(),
    day: Math.floor(local / DAY),
  };
}

function dayFits(rule: Whole, date: CivilDate): boolean {
  const { byMonth, byMonthDay, byYearDay, byWeekNo } = rule;
  if (byMonth !== undefined && !byMonth.includes(date.month)) return false;
  if (byWeekNo !== undefined && !weekFits(byWeekNo, date, rule.weekStart)) return false;
  if (byMonthDay !== undefined && !placeFits(byMonthDay, date.dayOfMonth, daysInMonth(date))) return false;
  if (byYearDay !== undefined && !placeFits(byYearDay, dayOfYear(date), daysInYear(date.year))) return false;
  return rule.byDay === undefined || weekdayFits(rule, date);
}

/** A place counts from the beginning, from 1, or from the end, from -1. */
function placeFits(wanted: readonly number[], place: number, of: number): boolean {
  return wanted.includes(place) || wanted.includes(place - of - 1);
}

function weekdayFits(rule: Whole, date: CivilDate): boolean {
  const { frequency, byMonth, byWeekNo, byDay = [] } = rule;
  const counts = (frequency === 'MONTHLY' || frequency === 'YEARLY') && byWeekNo === undefined;
  const inMonth = frequency === 'MONTHLY' || byMonth !== undefined;
  const [place, of] = inMonth
    ? [date.dayOfMonth, daysInMonth(date)]
    : [dayOfYear(date), daysInYear(date.year)];
  return byDay.some(({ nth, weekday }) => {
    if (weekday !== date.weekday) return false;
    if (nth === 0 || !counts) return true;
    return nth === (nth > 0 ? Math.ceil(place / 7) : -Math.ceil((of - place + 1) / 7));
  });
}

/** Weeks as ISO 8601 counts them, beginning on any weekday: the first has at least four days in its year. */
function weekFits(wanted: readonly number[], { day, weekday }: CivilDate, weekStart: number): boolean {
  const fourth = dateOf((day - ((weekday - weekStart + 7) % 7) + 3) * DAY);
  const week = Math.ceil(dayOfYear(fourth) / 7);
  // The fourth days of the weeks of a year are seven days apart: as many as fit.
  const weeks = week + Math.floor((daysInYear(fourth.year) - dayOfYear(fourth)) / 7);
  return placeFits(wanted, week, weeks);
}

function daysInMonth({ year, month }: CivilDate): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

function dayOfYear({ year, day }: CivilDate): number {
  return day - Date.UTC(year, 0, 1) / (DAY * 1000) + 1;
}

function daysInYear(year: number): number {
  return (Date.UTC(year + 1, 0, 1) - Date.UTC(year, 0, 1)) / (DAY * 1000);
}
