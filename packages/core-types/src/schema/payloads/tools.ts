import * as z from 'zod';
import { JsonValueSchema, Label, Sha256Hex } from '../json.js';

/** The name of a tool as a server gives it. */
const ToolName = z.string().min(1).max(512);

/**
 * `tools.listed`: a server answered `tools/list`, and the client waits for what of it it may see. `cursor` is
 * the hash of the cursor that was asked with (absent: the first page), `next` that of the cursor of the
 * following page (absent: the last one). `epoch` counts the server's announcements that its list changed. The
 * answer's data is `{leave_out: [<places in tools>]}`.
 */
export const ToolsListedPayload = z.strictObject({
  shim_id: Label,
  server_name: Label,
  /**
   * SHA-256 of the canonical JSON of program and arguments, and of the program alone where it can be told.
   */
  argv_hash: Sha256Hex,
  program_hash: Sha256Hex.optional(),
  /** SHA-256 of the canonical JSON of the capabilities that the client has told the server. */
  client_hash: Sha256Hex.optional(),
  epoch: z.number().int().nonnegative(),
  cursor: Sha256Hex.optional(),
  next: Sha256Hex.optional(),
  /** The page cannot be put in an order with others: its cursors are not what the protocol knows. */
  apart: z.literal(true).optional(),
  tools: z.array(JsonValueSchema).max(131_072),
});
export type ToolsListedPayload = z.infer<typeof ToolsListedPayload>;

/** `tools.list`: what is pinned and held, of all servers or the tools of one. */
export const ToolsListPayload = z.strictObject({ server_name: Label.optional() });

/** `tools.diff`: what was approved and what is held. `shown`: a person is about to read it. */
export const ToolsDiffPayload = z.strictObject({
  server_name: Label.optional(),
  tool_name: ToolName.optional(),
  shown: z.boolean().default(false),
});

/**
 * `tools.approve`: exactly these definitions, by the hashes of what `tools.diff` showed. A definition that
 * was not shown is left.
 */
export const ToolsApprovePayload = z.strictObject({
  server_name: Label,
  tools: z
    .array(z.strictObject({ tool_name: ToolName, hash: Sha256Hex }))
    .min(1)
    .max(4096),
});

/** `tools.forget`: the next complete list of that server is pinned as if it were the first. */
export const ToolsForgetPayload = z.strictObject({ server_name: Label });
