import * as z from 'zod';
import { JsonObjectSchema, Timestamp } from './json.js';

/** One row of the audit trail: times as the views write them. */
export const AuditEntry = z.object({
  /** `<seq>.<leaf>` of the ledger entry. */
  id: z.string(),
  /** Null where no request asked for it. */
  request_id: z.string().nullable(),
  timestamp: Timestamp,
  action: z.string(),
  direction: z.enum(['request', 'response']),
  status: z.enum(['pending', 'success', 'error', 'rejected', 'rate_limited']),
  payload_hash: z.string(),
  signature: z.string(),
  metadata: JsonObjectSchema,
  created_at: z.string(),
});
export type AuditEntry = z.infer<typeof AuditEntry>;
