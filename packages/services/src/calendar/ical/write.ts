import { SublError } from '@subluminal/core-types';
import {
  type Component,
  type ContentLine,
  componentsIn,
  isComponent,
  lineIn,
  linesIn,
  readCalendar,
  readLine,
  writeCalendar,
} from './component.js';
import { Zones } from './read.js';
import { writeText } from './text.js';
import { type CalendarTime, DAY, durationOf, readTime, timeOf, writeDate, writeLocal } from './time.js';

/** The wanted event. Times are moments, in seconds. */
export interface EventInput {
  readonly title: string;
  readonly start: number;
  readonly end: number;
  /** Undefined leaves it as it is. */
  readonly description: string | undefined;
  readonly location: string | undefined;
  readonly attendees: readonly string[] | undefined;
}

/** The time of writing, and the address of the account, if it has one. */
export interface Writer {
  readonly now: number;
  readonly address: string | undefined;
}

const BUDGET = 100_000;

/** The calendar object of a new event. */
export function newEvent(uid: string, event: EventInput, writer: Writer): string {
  const invited = event.attendees ?? [];
  return writeCalendar({
    name: 'VCALENDAR',
    items: [
      readLine('VERSION:2.0'),
      readLine('PRODID:-//Subluminal//EN'),
      {
        name: 'VEVENT',
        items: [
          readLine(`UID:${writeText(uid)}`),
          readLine(`DTSTAMP:${writeMoment(writer.now)}`),
          readLine(`CREATED:${writeMoment(writer.now)}`),
          readLine('SEQUENCE:0'),
          readLine(`DTSTART:${writeMoment(event.start)}`),
          readLine(`DTEND:${writeMoment(event.end)}`),
          readLine(`SUMMARY:${writeText(event.title)}`),
          ...optional('DESCRIPTION', event.description),
          ...optional('LOCATION', event.location),
          ...organizer(writer, invited),
          ...invited.map(attendee),
        ],
      },
    ],
  });
}

/**
 * A calendar object with its event changed, and everything else as it was: alarms, rules, properties that
 * nobody here knows. Of a recurring event the series is changed, in its own time zone.
 *
 * @throws SublError `adapter_failed` where it holds no event.
 */
export function changedEvent(
  text: string,
  event: EventInput,
  writer: Writer,
): { text: string; sequence: number } {
  const calendar = readCalendar(text);
  const events = componentsIn(calendar, 'VEVENT');
  const target = events.find((one) => lineIn(one, 'RECURRENCE-ID') === undefined) ?? events[0];
  if (target === undefined) throw new SublError('adapter_failed', 'what the calendar has there is no event');
  const sequence = sequenceOf(target) + 1;
  const range = { from: Math.min(event.start, writer.now), to: Math.max(event.end, writer.now) };
  const zones = new Zones(calendar, { range, budget: { left: BUDGET }, named: new Map() });
  const moved = changeTimes(target, event, zones);
  if (moved !== 0) moveExceptions(calendar, lineIn(target, 'UID')?.value, moved);
  put(target, 'SUMMARY', [readLine(`SUMMARY:${writeText(event.title)}`)]);
  if (event.description !== undefined) put(target, 'DESCRIPTION', optional('DESCRIPTION', event.description));
  if (event.location !== undefined) put(target, 'LOCATION', optional('LOCATION', event.location));
  if (event.attendees !== undefined) invite(target, event.attendees, writer);
  put(target, 'SEQUENCE', [readLine(`SEQUENCE:${sequence}`)]);
  put(target, 'DTSTAMP', [readLine(`DTSTAMP:${writeMoment(writer.now)}`)]);
  put(target, 'LAST-MODIFIED', [readLine(`LAST-MODIFIED:${writeMoment(writer.now)}`)]);
  return { text: writeCalendar(calendar), sequence };
}

/** Times that stay the same stay as they are written. Returns by how many seconds the series moves. */
function changeTimes(event: Component, { start, end }: EventInput, zones: Zones): number {
  const [startLine, endLine, lengthLine] = ['DTSTART', 'DTEND', 'DURATION'].map((name) =>
    lineIn(event, name),
  );
  const oldStart = startLine === undefined ? undefined : timeOf(startLine);
  const oldEnd = endLine === undefined ? undefined : timeOf(endLine);
  const length = lengthLine === undefined ? undefined : durationOf(lengthLine.value);
  const began = oldStart === undefined ? undefined : zones.moment(oldStart);
  const lasted = began === undefined || length === undefined ? undefined : began + length;
  const ended = oldEnd === undefined ? lasted : zones.moment(oldEnd);
  if (began === start && ended === end) return 0;
  const line = timeLine('DTSTART', start, end, oldStart, zones);
  put(event, 'DTSTART', [line]);
  event.items = event.items.filter((item) => isComponent(item) || item.name !== 'DURATION');
  put(event, 'DTEND', [timeLine('DTEND', end, start, oldEnd ?? oldStart, zones)]);
  const newStart = timeOf(line);
  return oldStart === undefined || newStart?.kind !== oldStart.kind
    ? 0
    : shownBy(newStart) - shownBy(oldStart);
}

/** The seconds that a clock shows there. */
function shownBy(time: CalendarTime): number {
  return time.kind === 'utc' ? time.at : time.local;
}

/**
 * Moves the dates that name single events of a series along with it: else an event that was taken out would
 * be back.
 */
function moveExceptions(calendar: Component, uid: string | undefined, seconds: number): void {
  const moved = (line: ContentLine): ContentLine => {
    const values = line.value.split(',').map((value) => {
      const time = readTime(value.trim(), line.params.get('TZID'));
      if (time === undefined) return value;
      const to = shownBy(time) + seconds;
      return time.kind === 'date' ? writeDate(to) : `${writeLocal(to)}${time.kind === 'utc' ? 'Z' : ''}`;
    });
    return readLine(`${line.text.slice(0, line.text.length - line.value.length)}${values.join(',')}`);
  };
  for (const event of componentsIn(calendar, 'VEVENT')) {
    if (lineIn(event, 'UID')?.value !== uid) continue;
    event.items = event.items.map((item) =>
      !isComponent(item) && (item.name === 'EXDATE' || item.name === 'RECURRENCE-ID') ? moved(item) : item,
    );
  }
}

/**
 * A moment in the form of the old one: a day stays a day where both times are midnights, and a zone stays.
 */
function timeLine(
  name: string,
  moment: number,
  other: number,
  old: CalendarTime | undefined,
  zones: Zones,
): ContentLine {
  if (old?.kind === 'date' && moment % DAY === 0 && other % DAY === 0)
    return readLine(`${name};VALUE=DATE:${writeDate(moment)}`);
  if (old?.kind === 'zoned')
    return readLine(`${name};TZID=${quoted(old.zone)}:${writeLocal(zones.of(old).toLocal(moment))}`);
  return readLine(`${name}:${writeMoment(moment)}`);
}

/** A guest who is invited already keeps the line with the answer given. */
function invite(event: Component, attendees: readonly string[], writer: Writer): void {
  const known = new Map(linesIn(event, 'ATTENDEE').map((line) => [addressOf(line), line]));
  put(
    event,
    'ATTENDEE',
    attendees.map((address) => known.get(address.toLowerCase()) ?? attendee(address)),
  );
  if (lineIn(event, 'ORGANIZER') === undefined) put(event, 'ORGANIZER', organizer(writer, attendees));
}

/** Puts lines in the place of those of a name; before the alarms where there were none. */
function put(event: Component, name: string, lines: readonly ContentLine[]): void {
  const isOld = (item: ContentLine | Component): boolean => !isComponent(item) && item.name === name;
  const place = event.items.findIndex(isOld);
  const kept = event.items.filter((item) => !isOld(item));
  const firstComponent = kept.findIndex(isComponent);
  const at = place >= 0 ? place : firstComponent >= 0 ? firstComponent : kept.length;
  event.items = [...kept.slice(0, at), ...lines, ...kept.slice(at)];
}

function sequenceOf(event: Component): number {
  const value = Number(lineIn(event, 'SEQUENCE')?.value ?? '0');
  return Number.isInteger(value) && value >= 0 && value < 2 ** 31 - 1 ? value : 0;
}

function optional(name: string, text: string | undefined): readonly ContentLine[] {
  return text === undefined || text === '' ? [] : [readLine(`${name}:${writeText(text)}`)];
}

/** Without an organizer a server sends no invitations. */
function organizer({ address }: Writer, invited: readonly string[]): readonly ContentLine[] {
  return address === undefined || invited.length === 0 ? [] : [readLine(`ORGANIZER:mailto:${address}`)];
}

function attendee(address: string): ContentLine {
  return readLine(`ATTENDEE;ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=TRUE:mailto:${address}`);
}

function addressOf({ value }: ContentLine): string {
  return value.replace(/^mailto:/i, '').toLowerCase();
}

function writeMoment(moment: number): string {
  return `${writeLocal(moment)}Z`;
}

/** The value of a parameter (RFC 5545 §3.2). */
function quoted(value: string): string {
  return /^[^:;,"]*$/.test(value) ? value : `"${value.replaceAll('"', '')}"`;
}
