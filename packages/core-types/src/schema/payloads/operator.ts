import * as z from 'zod';
import { Label } from '../json.js';

/** Actions without arguments. */
export const EmptyPayload = z.strictObject({});

/** `allow.add`. Without port or protocol every port or protocol of that host is meant. */
export const AllowAddPayload = z.strictObject({
  host: z.string().min(1).max(253),
  port: z.number().int().min(1).max(65_535).optional(),
  protocol: z.enum(['http', 'https', 'imap', 'imaps', 'smtp', 'smtps', 'caldav', 'tcp']).optional(),
  service_name: Label.optional(),
  /** Lets the host resolve to private, loopback or link-local addresses. */
  allow_private: z.boolean().default(false),
});
export type AllowAddPayload = z.infer<typeof AllowAddPayload>;

/** `allow.remove` and `allow.deactivate`. */
export const AllowIdPayload = z.strictObject({ id: z.string().min(1).max(64) });

/** `approvals.approve`. `for`: how far a yes to a question about a call goes, `once` unless set. An
 * action is let through once. */
export const ApprovePayload = z.strictObject({
  approval_id: z.string().min(1).max(64),
  for: z.enum(['once', 'run']).optional(),
});

/** `approvals.deny`. `say`: what the agent reads of a no to a question about a call. */
export const DenyPayload = z.strictObject({
  approval_id: z.string().min(1).max(64),
  say: z.string().max(300).optional(),
});

/** `panic.begin`: stops everything, for a reason in the operator's words. */
export const PanicBeginPayload = z.strictObject({ reason: z.string().max(500).default('') });

/** `runs.list`. The next page is `before` the last id of the one before. */
export const RunsListPayload = z.strictObject({
  limit: z.number().int().min(1).max(1000).default(50),
  before: Label.optional(),
});
