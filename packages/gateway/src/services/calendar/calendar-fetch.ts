import { CalendarFetchPayload, type JsonObject, SublError, isSublError } from '@subluminal/core-types';
import { type AccountParts, accountAdapter } from '../account/account-adapter.js';
import type { ServiceAdapter } from '../service-adapter.js';
import { calendarAccount } from './calendar-account.js';
import { findCalendar } from './dav/calendars.js';
import { objectsWithin } from './dav/objects.js';
import { type EventFacts, type Reading, eventsIn } from './ical/read.js';
import { DAY } from './ical/time.js';

const MAX_DAYS = 731;
const MAX_EVENTS = 1000;
/** Days that may be looked at to expand what recurs: some 150 ms. */
const BUDGET = 150_000;

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
      const reading: Reading = { range, budget: { left: BUDGET }, named: new Map() };
      let unreadable = 0;
      const events: EventFacts[] = [];
      for (const { id, etag, text } of objects) {
        try {
          const own: JsonObject = { eventId: id, ...(etag === undefined ? {} : { etag }) };
          for (const { at, facts } of eventsIn(text, reading))
            events.push({ at, facts: { ...own, ...facts } });
        } catch (error) {
          if (!isSublError(error, 'adapter_failed')) throw error;
          unreadable += 1;
        }
      }
      const ordered = events.toSorted((one, other) => one.at - other.at).slice(0, MAX_EVENTS);
      return {
        calendar: { path: calendar.target, name: calendar.name },
        events: ordered.map(({ facts }) => facts),
        truncated: events.length > MAX_EVENTS || reading.budget.left <= 0,
        ...(unreadable === 0 ? {} : { unreadable }),
      };
    },
  });
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
