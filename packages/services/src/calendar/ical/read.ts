import { type JsonObject, startOf, SublError } from '@subluminal/core-types';
import {
  type Component,
  type ContentLine,
  componentsIn,
  lineIn,
  linesIn,
  readCalendar,
} from './component.js';
import { describedZone } from './described-zone.js';
import { type Details, detailsOf } from './details.js';
import { type Budget, occurrences } from './recur.js';
import { readRule } from './rule.js';
import { type CalendarTime, DAY, durationOf, isoOf, timeOf, timesOf } from './time.js';
import { UTC, type Zone, namedZone } from './zone.js';

/** The wanted range in moments, in seconds: an event in it ends after `from` and begins before `to`. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

export interface Reading {
  readonly range: Range;
  readonly budget: Budget;
  /** The zones of the runtime by name, as far as they were needed. */
  readonly named: Map<string, Zone | undefined>;
}

/** One event at one time. */
export interface EventFacts {
  readonly at: number;
  readonly facts: JsonObject;
  /** Bytes of its JSON, nearly. */
  readonly bytes: number;
}

/** Bytes of JSON that an occurrence adds to the details of its event. */
const BYTES_OF_WHEN = 512;
/** The price of one date of a list. */
const COST_OF_DATE = 4;
/** Occurrences of one event: one more than an answer holds, so that it can tell that there are more. */
const MAX_OCCURRENCES = 1001;

/**
 * The events of one calendar object within a range, each occurrence of a recurring one by itself
 * (https://www.rfc-editor.org/rfc/rfc5545#section-3.8.5): the rule and further dates, without the dates that
 * are taken out, and with the changed occurrences as they are now.
 *
 * @throws SublError `adapter_failed` for what is no calendar object.
 */
export function eventsIn(text: string, reading: Reading): readonly EventFacts[] {
  const calendar = readCalendar(text);
  const zones = new Zones(calendar, reading);
  const found: EventFacts[] = [];
  for (const { series, changed } of byUid(componentsIn(calendar, 'VEVENT')).values()) {
    const replaced = new Set(changed.flatMap((part) => momentOf(lineIn(part, 'RECURRENCE-ID'), zones)));
    for (const event of series) found.push(...occurrencesOf(event, replaced, zones, reading));
    for (const event of changed) found.push(...onceOf(event, zones, reading));
  }
  return found;
}

/** The events of one UID: the series, and its single occurrences that were changed. */
interface Family {
  readonly series: Component[];
  readonly changed: Component[];
}

function byUid(events: readonly Component[]): ReadonlyMap<string, Family> {
  const families = new Map<string, Family>();
  for (const event of events) {
    const uid = lineIn(event, 'UID')?.value ?? '';
    const family = families.get(uid) ?? { series: [], changed: [] };
    families.set(uid, family);
    (lineIn(event, 'RECURRENCE-ID') === undefined ? family.series : family.changed).push(event);
  }
  return families;
}

/** The zones of one calendar object: those that it describes, then those of the runtime. */
export class Zones {
  readonly #calendar: Component;
  readonly #reading: Reading;
  readonly #known = new Map<string, Zone | undefined>();
  #descriptions: ReadonlyMap<string, Component> | undefined;

  constructor(calendar: Component, reading: Reading) {
    this.#calendar = calendar;
    this.#reading = reading;
  }

  /** UTC for a name that nobody knows. */
  of(time: CalendarTime): Zone {
    return (time.kind === 'zoned' ? this.#zone(time.zone) : undefined) ?? UTC;
  }

  /** The moment that a time means. */
  moment(time: CalendarTime): number {
    return time.kind === 'utc' ? time.at : this.of(time).toMoment(time.local);
  }

  #zone(name: string): Zone | undefined {
    if (!this.#known.has(name)) this.#known.set(name, this.#described(name) ?? this.#named(name));
    return this.#known.get(name);
  }

  #described(name: string): Zone | undefined {
    const { range, budget } = this.#reading;
    this.#descriptions ??= new Map(
      componentsIn(this.#calendar, 'VTIMEZONE')
        .map((zone): [string, Component] => [lineIn(zone, 'TZID')?.value.trim() ?? '', zone])
        // The first of two with the same name counts.
        .toReversed(),
    );
    const component = this.#descriptions.get(name);
    return component === undefined ? undefined : describedZone(component, range, budget);
  }

  #named(name: string): Zone | undefined {
    const { named } = this.#reading;
    if (!named.has(name) && named.size < 64) named.set(name, namedZone(name));
    return named.get(name);
  }
}

/** The times of an event as it states them, and how long it lasts. */
interface Times {
  readonly start: CalendarTime;
  readonly seconds: number;
}

function timesOfEvent(event: Component, zones: Zones): Times | undefined {
  const [startLine, endLine, lengthLine] = ['DTSTART', 'DTEND', 'DURATION'].map((name) =>
    lineIn(event, name),
  );
  const start = startLine === undefined ? undefined : timeOf(startLine);
  if (start === undefined) return undefined;
  const end = endLine === undefined ? undefined : timeOf(endLine);
  const length = lengthLine === undefined ? undefined : durationOf(lengthLine.value);
  const least = start.kind === 'date' ? DAY : 0;
  const seconds = end === undefined ? (length ?? least) : zones.moment(end) - zones.moment(start);
  return { start, seconds: Math.max(least, seconds) };
}

function occurrencesOf(
  event: Component,
  replaced: ReadonlySet<number>,
  zones: Zones,
  reading: Reading,
): readonly EventFacts[] {
  const times = timesOfEvent(event, zones);
  if (times === undefined) return [];
  const { start, seconds } = times;
  const ruleLine = lineIn(event, 'RRULE');
  const more = datesNear(event, 'RDATE', seconds, reading);
  if (ruleLine === undefined && lineIn(event, 'RDATE') === undefined) return onceOf(event, zones, reading);
  const rule = readRule(ruleLine?.value);
  const zone = zones.of(start);
  const first = start.kind === 'utc' ? start.at : start.local;
  const { from, to } = reading.range;
  const local =
    rule === undefined
      ? [first]
      : occurrences({
          rule,
          start: first,
          from: zone.toLocal(from) - seconds - DAY,
          to: zone.toLocal(to) + DAY,
          zone,
          budget: reading.budget,
        });
  const without = new Set(datesNear(event, 'EXDATE', seconds, reading).map((time) => zones.moment(time)));
  const all = [
    ...local.map((time) => placed(start, time)),
    ...more.map((time) => placed(start, localOf(time, zone))),
  ];
  const seen = new Set<number>();
  const known = ruleLine === undefined || rule !== undefined;
  let details: Details | undefined;
  return all
    .flatMap((begin): readonly EventFacts[] => {
      const at = zones.moment(begin);
      if (seen.has(at) || without.has(at) || replaced.has(at) || !overlaps(at, seconds, reading.range))
        return [];
      seen.add(at);
      if (seen.size > MAX_OCCURRENCES) return [];
      details ??= detailsOf(event);
      const when = whenOf(begin, seconds, zones, { recurring: true, known, of: isoOf(begin) });
      return [factsAt(at, details, when)];
    })
    .slice(0, MAX_OCCURRENCES);
}

function onceOf(event: Component, zones: Zones, { range }: Reading): readonly EventFacts[] {
  const times = timesOfEvent(event, zones);
  if (times === undefined) return [];
  const at = zones.moment(times.start);
  if (!overlaps(at, times.seconds, range)) return [];
  const changedLine = lineIn(event, 'RECURRENCE-ID');
  const changed = changedLine === undefined ? undefined : timeOf(changedLine);
  const series = changed === undefined ? undefined : isoOf(changed);
  const when = whenOf(times.start, times.seconds, zones, {
    recurring: series !== undefined,
    known: true,
    of: series,
  });
  return [factsAt(at, detailsOf(event), when)];
}

function factsAt(at: number, { facts, bytes }: Details, when: JsonObject): EventFacts {
  return { at, facts: { ...facts, ...when }, bytes: bytes + BYTES_OF_WHEN };
}

/**
 * The dates of a list that can matter to the range.
 *
 * @throws SublError `adapter_failed` for more dates than the budget allows: without some of them it would be
 * another event.
 */
function datesNear(
  event: Component,
  name: 'RDATE' | 'EXDATE',
  seconds: number,
  { range, budget }: Reading,
): readonly CalendarTime[] {
  const dates = linesIn(event, name)
    .flatMap(timesOf)
    .filter((time) => {
      const about = time.kind === 'utc' ? time.at : time.local;
      return about > range.from - seconds - 2 * DAY && about < range.to + 2 * DAY;
    });
  if (dates.length > 0 && dates.length * COST_OF_DATE > budget.left) {
    budget.left = 0;
    throw new SublError('adapter_failed', 'an event cannot be read: it lists too many dates');
  }
  budget.left -= dates.length * COST_OF_DATE;
  return dates;
}

function overlaps(at: number, seconds: number, { from, to }: Range): boolean {
  return at < to && (at + seconds > from || at >= from);
}

function momentOf(line: ContentLine | undefined, zones: Zones): readonly number[] {
  const time = line === undefined ? undefined : timeOf(line);
  return time === undefined ? [] : [zones.moment(time)];
}

/** A time of the same kind as the first one. */
function placed(start: CalendarTime, local: number): CalendarTime {
  if (start.kind === 'utc') return { kind: 'utc', at: local };
  return start.kind === 'date' ? { kind: 'date', local: local - (local % DAY) } : { ...start, local };
}

function localOf(time: CalendarTime, zone: Zone): number {
  return time.kind === 'utc' ? zone.toLocal(time.at) : time.local;
}

/** The time of an occurrence, and its series. */
function whenOf(
  start: CalendarTime,
  seconds: number,
  zones: Zones,
  series: { readonly recurring: boolean; readonly known: boolean; readonly of: string | undefined },
): JsonObject {
  return {
    start: shown(start, zones),
    end: shown(later(start, seconds, zones), zones),
    allDay: start.kind === 'date',
    ...(start.kind === 'zoned' ? { timeZone: startOf(start.zone, 128) } : {}),
    recurring: series.recurring,
    ...(series.of === undefined ? {} : { recurrenceId: series.of }),
    ...(series.known ? {} : { ruleUnknown: true }),
  };
}

/** Days and times without a zone stay as they are; every other time is shown as its moment. */
function shown(time: CalendarTime, zones: Zones): string {
  if (time.kind !== 'zoned') return isoOf(time);
  return isoOf({ kind: 'utc', at: zones.moment(time) });
}

function later(time: CalendarTime, seconds: number, zones: Zones): CalendarTime {
  if (time.kind === 'zoned' || time.kind === 'utc') return { kind: 'utc', at: zones.moment(time) + seconds };
  return { ...time, local: time.local + seconds };
}
