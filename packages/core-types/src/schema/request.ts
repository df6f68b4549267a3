import * as z from 'zod';
import { JsonObjectSchema, JsonValueSchema, Timestamp } from './json.js';

/** Request ids: single-use in their run, durably. */
export const RequestId = z.string().regex(/^[A-Za-z0-9_-]{8,64}$/, 'expected 8 to 64 of A-Z a-z 0-9 _ -');

/**
 * A client's request to the gateway. The payload is checked again against the schema of its action.
 * `signature` is the base64url MAC over sequence number, id, timestamp, action and payload hash.
 */
export const ActionRequest = z.strictObject({
  id: RequestId,
  timestamp: Timestamp,
  action: z.string().min(1).max(64),
  payload: JsonObjectSchema,
  source: z.string().min(1).max(64),
  signature: z.string().min(1).max(128),
});
export type ActionRequest = z.infer<typeof ActionRequest>;

/** The outcomes of a request. None of them is reached by default: each is written by a stage. */
export const ResponseStatus = z.enum(['success', 'error', 'requires_approval', 'rate_limited']);
export type ResponseStatus = z.infer<typeof ResponseStatus>;

/** The error part of an answer. `code` is one of the documented codes. */
export const ResponseError = z.object({
  code: z.string().min(1),
  message: z.string(),
  help: z.string().optional(),
  details: JsonObjectSchema.optional(),
});
export type ResponseError = z.infer<typeof ResponseError>;

/**
 * The gateway's answer. `auditRef` is `<seq>.<leaf>` of the ledger entry, or empty when nothing was
 * recorded.
 */
export const ActionResponse = z.object({
  requestId: z.string(),
  timestamp: Timestamp,
  status: ResponseStatus,
  data: JsonValueSchema.optional(),
  error: ResponseError.optional(),
  auditRef: z.string(),
  signature: z.string(),
});
export type ActionResponse = z.infer<typeof ActionResponse>;
