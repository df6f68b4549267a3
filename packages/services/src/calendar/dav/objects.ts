import { SublError } from '@subluminal/core-types';
import { refusedBy } from '../../account/answer.js';
import type { Conversation } from '../../account/conversation.js';
import type { Range } from '../ical/read.js';
import { writeLocal } from '../ical/time.js';
import { report, textOf } from './ask.js';
import type { Calendar } from './calendars.js';
import { CALDAV, DAV, propOf } from './multistatus.js';

/** A calendar object as a server keeps it. */
export interface CalendarObject {
  /** Its name within its calendar, which is the id of its event. */
  readonly id: string;
  /** The version, as it has to be sent back; undefined where the server gave none. */
  readonly etag: string | undefined;
  readonly text: string;
}

const ICS = 'text/calendar; charset=utf-8';

/**
 * The objects of a calendar that have an event within a range
 * (https://www.rfc-editor.org/rfc/rfc4791#section-7.8).
 */
export async function objectsWithin(
  talk: Conversation,
  calendar: Calendar,
  { from, to }: Range,
): Promise<readonly CalendarObject[]> {
  const range = `start="${writeLocal(from)}Z" end="${writeLocal(to)}Z"`;
  const resources = await report(
    talk,
    calendar.target,
    `<?xml version="1.0" encoding="utf-8"?><c:calendar-query xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><d:prop><d:getetag/><c:calendar-data/></d:prop><c:filter><c:comp-filter name="VCALENDAR"><c:comp-filter name="VEVENT"><c:time-range ${range}/></c:comp-filter></c:comp-filter></c:filter></c:calendar-query>`,
  );
  return resources.flatMap((resource) => {
    const text = propOf(resource, CALDAV, 'calendar-data')?.text;
    const id = idWithin(calendar, talk.targetOf(resource.href, calendar.target));
    if (text === undefined || id === undefined) return [];
    return [{ id, etag: strongTag(propOf(resource, DAV, 'getetag')?.text), text }];
  });
}

/**
 * One object of a calendar, unmasked, so that it can be put back changed.
 *
 * @throws SublError `not_found`.
 */
export async function readObject(
  talk: Conversation,
  calendar: Calendar,
  id: string,
): Promise<CalendarObject> {
  const target = targetOf(calendar, id);
  const answer = await talk.send({
    method: 'GET',
    target,
    headers: { accept: 'text/calendar' },
    whole: true,
  });
  if (answer.status === 404 || answer.status === 410)
    throw new SublError('not_found', 'the calendar has no such event');
  if (answer.status !== 200) throw refusedBy(talk.origin, answer.status);
  return { id, etag: strongTag(answer.headers.get('etag')?.[0]), text: textOf(answer) };
}

/** The result of a write: `false` where the object was not the expected one, and nothing was written. */
export type Written = { readonly etag: string | undefined } | false;

/**
 * Puts an object where there is none, or in the place of exactly the one that was read. It is sent once.
 *
 * @throws SublError `in_doubt` where the answer was lost.
 */
export async function writeObject(
  talk: Conversation,
  calendar: Calendar,
  { id, etag, text }: CalendarObject,
): Promise<Written> {
  const answer = await talk.sendOnce({
    method: 'PUT',
    target: targetOf(calendar, id),
    headers: {
      'content-type': ICS,
      ...(etag === undefined ? { 'if-none-match': '*' } : { 'if-match': etag }),
    },
    body: text,
  });
  if (answer.status === 412) return false;
  if (![200, 201, 204].includes(answer.status)) throw refusedBy(talk.origin, answer.status);
  return { etag: strongTag(answer.headers.get('etag')?.[0]) };
}

function targetOf(calendar: Calendar, id: string): string {
  return `${calendar.target}${encodeURIComponent(id)}`;
}

function idWithin(calendar: Calendar, target: string): string | undefined {
  const rest = target.startsWith(calendar.target) ? target.slice(calendar.target.length) : '';
  if (rest === '' || /[/?]/.test(rest)) return undefined;
  try {
    const id = decodeURIComponent(rest);
    return isObjectId(id) ? id : undefined;
  } catch {
    return undefined;
  }
}

/** Tells whether a text can be the name of one object: nothing in it leads to another folder. */
export function isObjectId(id: string): boolean {
  return id.length <= 1024 && id !== '.' && id !== '..' && /^[^/\\\p{Cc}]+$/u.test(id);
}

/** A weak tag says that two are alike, not that they are the same: nothing may be overwritten by it. */
function strongTag(text: string | undefined): string | undefined {
  const tag = text?.trim() ?? '';
  return /^"[!#-~]{0,1024}"$/.test(tag) ? tag : undefined;
}
