import * as z from 'zod';
import { AccountName } from '../account.js';

const Recipients = z.array(z.email().max(254)).min(1).max(100);

/** One line of a header: nothing in it can end the line. */
const Line = z.string().regex(/^\P{Cc}*$/u, 'control characters are not allowed');

/** `email.send`, and `email.draft`, which has the same form. */
export const EmailSendPayload = z.strictObject({
  /** Needed where there are several mail accounts. */
  account: AccountName.optional(),
  to: Recipients,
  cc: z.array(z.email().max(254)).max(100).optional(),
  subject: Line.max(998),
  body: z.string().max(1_048_576),
  /** The `messageId` of what is answered, as `email.fetch` gives it. */
  replyToMessageId: z
    .string()
    .max(900)
    .regex(/^<[!-;=?-~]+>$/, 'write it as `<ID@HOST>`')
    .optional(),
});
export type EmailSendPayload = z.infer<typeof EmailSendPayload>;

/** `email.fetch`. */
export const EmailFetchPayload = z.strictObject({
  /** Needed where there are several mail accounts. */
  account: AccountName.optional(),
  folder: Line.min(1).max(256).default('INBOX'),
  limit: z.number().int().positive().max(500).default(50),
  since: z.iso.datetime().optional(),
});
export type EmailFetchPayload = z.infer<typeof EmailFetchPayload>;
