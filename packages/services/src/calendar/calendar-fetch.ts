import { CalendarFetchPayload, type JsonObject, SublError, isSublError } from '@subluminal/core-types';
import { type AccountParts, accountAdapter } from '../account/account-adapter.js';
import type { ServiceAdapter } from '@subluminal/gateway';
import { calendarAccount } from './calendar-account.js';
import { findCalendar } from './dav/calendars.js';
import { objectsWithin } from './dav/objects.js';
import { type EventFacts, type Reading, eventsIn } from './ical/read.js';
import { DAY } from './ical/time.js';

const MAX_DAYS = 731;
const MAX_EVENTS = 1000;
/** Of the JSON of all events of an answer: an invitation can say much, and do so often. */
const MAX_BYTES = 4 * 1024 * 1024;
/** Days that may be looked at to expand what recurs: some 150 ms. */
const BUDGET = 150_000;
/** Of them those of one object: nobody's invitation uses up what the others need. */
const BUDGET_OF_ONE = 25_000;
/** So long, in milliseconds, may reading keep everybody else waiting. */
const TURN = 10;

/**
 * `calendar.fetch` by CalDAV: what a calendar has within a range, each occurrence of what recurs by itself, in the order of time.
 * One event that cannot be read is counted and left out, so that nobody's invitation hides the rest.
 */
export function calendarFetch(parts: AccountParts): ServiceAdapter {
  return accountAdapter(parts, {
    ...calendarAccount,
    action: 'calendar.fetch',
    payload: CalendarFetchPayload,
    check: (payload) => void rangeOf(payload),
    run: async ({ payload, endpoint, talk }) => {
      const range = rangeOf(payload);
      const calendar = await findCalendar(talk, endpoint.target, payload.calendarId);
      const objects = await objectsWithin(talk, calendar, range);
      const named: Reading['named'] = new Map();
      let left = BUDGET;
      let isCut = false;
      let turn = performance.now();
      let unreadable = 0;
      const events: EventFacts[] = [];
      for (const { id, etag, text } of objects) {
        if (performance.now() - turn > TURN) {
          await new Promise<void>((resolve) => setImmediate(resolve));
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
      const ordered = fitting(events.toSorted((one, other) => one.at - other.at));
      return {
        calendar: { path: calendar.target, name: calendar.name },
        events: ordered.map(({ facts }) => facts),
        truncated: ordered.length < events.length || isCut,
        ...(unreadable === 0 ? {} : { unreadable }),
      };
    },
  });
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

function rangeOf({ startDate, endDate }: CalendarFetchPayload): { from: number; to: number } {
  const [from, to] = [startDate, endDate].map((time) => Math.floor(Date.parse(time) / 1000));
  if (from === undefined || to === undefined || !(to > from) || to - from > MAX_DAYS * DAY) {
    throw new SublError(
      'invalid_request',
      `\`endDate\` has to be after \`startDate\`, at most ${MAX_DAYS} days`,
    );
  }
  return { from, to };
}
