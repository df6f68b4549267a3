import * as z from 'zod';

const Recipients = z.array(z.email()).min(1).max(100);

/** `email.send`, and `email.draft`, which has the same form. */
export const EmailSendPayload = z.strictObject({
  to: Recipients,
  cc: z.array(z.email()).max(100).optional(),
  subject: z.string(),
  body: z.string(),
  replyToMessageId: z.string().optional(),
});

/** `email.fetch`. */
export const EmailFetchPayload = z.strictObject({
  folder: z.string().default('INBOX'),
  limit: z.number().int().positive().default(50),
  since: z.iso.datetime().optional(),
});
