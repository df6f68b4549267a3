import * as z from 'zod';

/** `calendar.fetch`. */
export const CalendarFetchPayload = z.strictObject({
  calendarId: z.string().default('primary'),
  startDate: z.iso.datetime(),
  endDate: z.iso.datetime(),
});

/** `calendar.create`, and `calendar.update`, which has the same form. */
export const CalendarCreatePayload = z.strictObject({
  calendarId: z.string().default('primary'),
  title: z.string(),
  startTime: z.iso.datetime(),
  endTime: z.iso.datetime(),
  description: z.string().optional(),
  attendees: z.array(z.email()).optional(),
});
