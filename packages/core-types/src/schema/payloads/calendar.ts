import * as z from 'zod';
import { AccountName } from '../account.js';

/** `calendar.fetch`. */
export const CalendarFetchPayload = z.strictObject({
  /** Needed where there are several calendar accounts. */
  account: AccountName.optional(),
  calendarId: z.string().default('primary'),
  startDate: z.iso.datetime(),
  endDate: z.iso.datetime(),
});

/** `calendar.create`. */
export const CalendarCreatePayload = z.strictObject({
  account: AccountName.optional(),
  calendarId: z.string().default('primary'),
  title: z.string(),
  startTime: z.iso.datetime(),
  endTime: z.iso.datetime(),
  description: z.string().optional(),
  attendees: z.array(z.email()).optional(),
});

/** `calendar.update`: the whole of what the event is to be. */
export const CalendarUpdatePayload = CalendarCreatePayload.extend({
  eventId: z
    .string()
    .min(1)
    .max(1024)
    .regex(/^\P{Cc}*$/u, 'control characters are not allowed'),
});
