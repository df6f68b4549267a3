import {
  nextTurn,
  type CalendarFetchPayload,
  type JsonObject,
  SublError,
  isSublError,
} from '@subluminal/core-types';
import type { ServiceAdapter } from '../action/service-adapter.js';
import { type AccountParts, httpsAdapter } from '../account/https-account.js';
import { calendarAccount } from './calendar-account.js';
import { findCalendar } from './dav/calendars.js';
import { type CalendarObject, objectsWithin } from './dav/objects.js';
import { type EventFacts, type Range, type Reading, eventsIn } from './ical/read.js';
import { DAY } from './ical/time.js';

const MAX_DAYS = 731;
const MAX_EVENTS = 1000;
/** Bytes of JSON of all events of an answer: an invitation can say much, and do so often. */
const MAX_BYTES = 4 * 1024 * 1024;
/** Days that one answer may look at to expand recurring events: some 150 ms. */
const BUDGET = 150_000;
/** Days for one object: nobody's invitation uses up what the others need. */
const BUDGET_OF_ONE = 25_000;
/** Milliseconds that reading may keep everybody else waiting. */
const TURN = 10;

/**
 * `calendar.fetch` by CalDAV: the events of a calendar within a range, each occurrence of a recurring one by
 * itself, ordered by time. One event that cannot be read is counted and left out, so that nobody's invitation
 * hides the rest.
 */
export function calendarFetch(parts: AccountParts): ServiceAdapter<CalendarFetchPayload> {
  return httpsAdapter(parts, {
    ...calendarAccount,
    plan: (payload: CalendarFetchPayload) => {
      const range = rangeOf(payload);
      return async ({ endpoint, talk }) => {
        const calendar = await findCalendar(talk, endpoint.target, payload.calendarId);
        const { events, isCut, unreadable } = await eventsOf(
          await objectsWithin(talk, calendar, range),
          range,
        );
        const ordered = fitting(events.toSorted((one, other) => one.at - other.at));
        return {
          calendar: { path: calendar.target, name: calendar.name },
          events: ordered.map(({ facts }) => facts),
          truncated: ordered.length < events.length || isCut,
          ...(unreadable === 0 ? {} : { unreadable }),
        };
      };
    },
  });
}

interface Found {
  readonly events: readonly EventFacts[];
  /** The budget ended before the events did. */
  readonly isCut: boolean;
  readonly unreadable: number;
}

async function eventsOf(objects: readonly CalendarObject[], range: Range): Promise<Found> {
  const named: Reading['named'] = new Map();
  let left = BUDGET;
  let isCut = false;
  let turn = performance.now();
  let unreadable = 0;
  const events: EventFacts[] = [];
  for (const { id, etag, text } of objects) {
    if (performance.now() - turn > TURN) {
      await nextTurn();
      turn = performance.now();
    }
    const budget = { left: Math.min(left, BUDGET_OF_ONE) };
    left -= budget.left;
    try {
      const own: JsonObject = { eventId: id, ...(etag === undefined ? {} : { etag }) };
      for (const { at, facts, bytes } of eventsIn(text, { range, budget, named }))
        events.push({ at, facts: { ...own, ...facts }, bytes });
    } catch (error) {
      if (!isSublError(error, 'adapter_failed')) throw error;
      unreadable += 1;
    }
    isCut ||= budget.left <= 0;
    left += Math.max(0, budget.left);
  }
  return { events, isCut, unreadable };
}

/** The first of them, as many as an answer holds. */
function fitting(events: readonly EventFacts[]): readonly EventFacts[] {
  let bytes = 0;
  const end = events.findIndex((event, index) => {
    bytes += event.bytes;
    return index >= MAX_EVENTS || bytes > MAX_BYTES;
  });
  return end < 0 ? events : events.slice(0, end);
}

function rangeOf({ startDate, endDate }: CalendarFetchPayload): Range {
  const [from, to] = [startDate, endDate].map((time) => Math.floor(Date.parse(time) / 1000));
  if (from === undefined || to === undefined || !(to > from) || to - from > MAX_DAYS * DAY) {
    throw new SublError(
      'invalid_request',
      `\`endDate\` has to be after \`startDate\`, at most ${MAX_DAYS} days`,
    );
  }
  return { from, to };
}
