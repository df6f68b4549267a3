import * as z from 'zod';
import { Label, Sha256Hex } from '../json.js';
import { ProcessIdentity } from '../identity.js';

/**
 * `upstream.begin`: a shim is about to start an MCP server. `token` will be in the environment of everything
 * that it starts (`SUB_UPSTREAM_TOKEN`), so that the gateway can end what a killed shim left behind. `cwd` is
 * the folder of the server, unless it gets secrets: such a server starts in the account's home.
 */
export const UpstreamBeginPayload = z.strictObject({
  shim_id: Label,
  proc_id: Label,
  server_name: Label,
  argv_hash: Sha256Hex,
  token: z.string().regex(/^[A-Za-z0-9_-]{21,64}$/),
  shim: ProcessIdentity,
  cwd: z.string().min(1).max(4096).optional(),
});
export type UpstreamBeginPayload = z.infer<typeof UpstreamBeginPayload>;

/** `upstream.end`: the MCP server and all it started are gone. */
export const UpstreamEndPayload = z.strictObject({
  shim_id: Label,
  token: z.string().regex(/^[A-Za-z0-9_-]{21,64}$/),
  exit_code: z.number().int().nullable(),
  signal: z.string().max(32).nullable(),
});
export type UpstreamEndPayload = z.infer<typeof UpstreamEndPayload>;

/** Why a shim did not forward a message. */
export const DropReason = z.enum([
  'ambiguous',
  'batch',
  'duplicate_answer',
  'duplicate_id',
  'header_mismatch',
  'invalid_json',
  'invalid_utf8',
  'notification_call',
  'too_large',
  'unknown_session',
  'unsolicited_answer',
  'wrong_type',
]);
export type DropReason = z.infer<typeof DropReason>;

/** `message.dropped`: something came that cannot be judged or was not asked for; it went no further. */
export const MessageDroppedPayload = z.strictObject({
  shim_id: Label,
  server_name: Label,
  direction: z.enum(['to_server', 'to_client']),
  reason: DropReason,
  method: z.string().max(256).optional(),
  bytes: z.number().int().nonnegative(),
  stream_hash: Sha256Hex.optional(),
  /** How many it tells of, with the bytes of all; one where it is left out. */
  count: z.number().int().positive().optional(),
});
export type MessageDroppedPayload = z.infer<typeof MessageDroppedPayload>;
