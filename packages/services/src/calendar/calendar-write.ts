import { type CalendarCreatePayload, type PayloadOf, SublError, sha256Hex } from '@subluminal/core-types';
import type { Clock } from '@subluminal/gateway';
import type { ServiceAdapter, ServiceCall } from '../action/service-adapter.js';
import { type AccountParts, httpsAdapter } from '../account/https-account.js';
import { calendarAccount } from './calendar-account.js';
import { findCalendar } from './dav/calendars.js';
import { isObjectId, readObject, writeObject } from './dav/objects.js';
import { type EventInput, type Writer, changedEvent, newEvent } from './ical/write.js';

export interface CalendarWriteParts extends AccountParts {
  readonly clock: Clock;
}

/**
 * `calendar.create`: one PUT that only succeeds where there is nothing yet. The event is named after the
 * request, so that no repetition of it can put a second one beside the first.
 */
export function calendarCreate(parts: CalendarWriteParts): ServiceAdapter<CalendarCreatePayload> {
  return httpsAdapter(parts, {
    ...calendarAccount,
    plan: (payload: CalendarCreatePayload) => {
      const input = inputOf(payload);
      return async ({ account, endpoint, talk, call }) => {
        const calendar = await findCalendar(talk, endpoint.target, payload.calendarId);
        const uid = uidOf(call);
        const id = `${uid}.ics`;
        const text = newEvent(uid, input, writerOf(parts, account.settings.user));
        const written = await writeObject(talk, calendar, { id, etag: undefined, text });
        if (written === false) throw new SublError('replayed', 'this request has put its event there before');
        return {
          eventId: id,
          uid,
          calendar: { path: calendar.target, name: calendar.name },
          ...(written.etag === undefined ? {} : { etag: written.etag }),
        };
      };
    },
  });
}

/**
 * `calendar.update`: reads the event and puts it back changed, only where it is still the one that was read.
 * Everything that the payload does not name stays as it is.
 */
export function calendarUpdate(parts: CalendarWriteParts): ServiceAdapter<PayloadOf<'calendar.update'>> {
  return httpsAdapter(parts, {
    ...calendarAccount,
    plan: (payload: PayloadOf<'calendar.update'>) => {
      const input = inputOf(payload);
      if (!isObjectId(payload.eventId))
        throw new SublError('invalid_request', '`eventId` is none that a fetch has given');
      return async ({ account, endpoint, talk }) => {
        const calendar = await findCalendar(talk, endpoint.target, payload.calendarId);
        const { id, etag, text: before } = await readObject(talk, calendar, payload.eventId);
        if (etag === undefined)
          throw new SublError(
            'adapter_failed',
            'the server does not say which version of the event it has, so it is not overwritten',
          );
        const { text, sequence } = changedEvent(before, input, writerOf(parts, account.settings.user));
        const written = await writeObject(talk, calendar, { id, etag, text });
        if (written === false)
          throw new SublError(
            'adapter_failed',
            'the event was changed by somebody else meanwhile, and nothing was written',
            { help: 'fetch it again' },
          );
        return { eventId: id, sequence, ...(written.etag === undefined ? {} : { etag: written.etag }) };
      };
    },
  });
}

function inputOf({
  title,
  startTime,
  endTime,
  description,
  location,
  attendees,
}: CalendarCreatePayload): EventInput {
  const [start, end] = [startTime, endTime].map((time) => Math.floor(Date.parse(time) / 1000));
  if (start === undefined || end === undefined || !(end >= start))
    throw new SublError('invalid_request', '`endTime` is before `startTime`');
  return { title, start, end, description, location, attendees };
}

function writerOf({ clock }: CalendarWriteParts, user: string): Writer {
  return {
    now: Math.floor(clock() / 1000),
    address: /^[^@\s:;,"]+@[^@\s:;,"]+$/.test(user) ? user : undefined,
  };
}

/** One UID for each request of a run: a repetition of the request has the same one. */
function uidOf({ runId, requestId }: ServiceCall): string {
  return `subl-${sha256Hex(`calendar.create|${runId ?? ''}|${requestId}`).slice(0, 40)}`;
}
