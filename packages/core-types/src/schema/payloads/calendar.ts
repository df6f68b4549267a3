import * as z from 'zod';
import { AccountName } from '../account.js';

const CalendarId = z
  .string()
  .min(1)
  .max(1024)
  .regex(/^\P{Cc}*$/u, 'control characters are not allowed')
  .default('primary');

/** `calendar.fetch`. */
export const CalendarFetchPayload = z.strictObject({
  /** Needed where there are several calendar accounts. */
  account: AccountName.optional(),
  /** `primary`: the first one; else a path, the last part of one, or a name. */
  calendarId: CalendarId,
  startDate: z.iso.datetime(),
  endDate: z.iso.datetime(),
});
export type CalendarFetchPayload = z.infer<typeof CalendarFetchPayload>;

/** `calendar.create`. */
export const CalendarCreatePayload = z.strictObject({
  account: AccountName.optional(),
  calendarId: CalendarId,
  title: z.string().max(1024),
  startTime: z.iso.datetime(),
  endTime: z.iso.datetime(),
  description: z.string().max(65_536).optional(),
  location: z.string().max(1024).optional(),
  attendees: z.array(z.email().max(254)).max(200).optional(),
});
export type CalendarCreatePayload = z.infer<typeof CalendarCreatePayload>;

/** `calendar.update`: the whole of what the event is to be. */
export const CalendarUpdatePayload = CalendarCreatePayload.extend({
  eventId: z
    .string()
    .min(1)
    .max(1024)
    .regex(/^\P{Cc}*$/u, 'control characters are not allowed'),
});
