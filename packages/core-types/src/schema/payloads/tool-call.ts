import * as z from 'zod';
import { JsonObjectSchema, Label, Sha256Hex } from '../json.js';
import { MAX_CARRIED_ENDS } from './carried-ends.js';
import { FsDiff } from './fs-diff.js';

/** The boundary that a call crossed. */
export const Transport = z.enum(['mcp_stdio', 'mcp_http', 'messages_api', 'http', 'unknown']);

/** How a call that is no message of MCP was seen: by which client's hook, or as a command of a world. */
export const CallVia = z.enum(['claude_hook', 'codex_hook', 'world_exec']);
export type CallVia = z.infer<typeof CallVia>;

/**
 * The stand-in for arguments that were too large to inspect: the hash of the raw bytes as they were
 * observed.
 */
export const Uninspected = z.strictObject({
  stream_hash: Sha256Hex,
  bytes: z.number().int().nonnegative(),
  /** Top-level keys of the arguments, where the tokenizer saw them all. */
  arg_keys: z.array(z.string().max(256)).max(256).optional(),
});

/** How a call ended. */
export const CallStatus = z.enum(['OK', 'ERROR', 'TIMEOUT', 'CANCELLED']);
export type CallStatus = z.infer<typeof CallStatus>;

/** Why it did not end well. */
export const CallError = z.strictObject({
  class: z.enum(['upstream_error', 'policy_block', 'timeout', 'transport', 'unknown']),
  message: z.string().max(4096),
  code: z.union([z.string().max(128), z.number()]).optional(),
  retryable: z.boolean().optional(),
});

/** `tool.call.end`: the shim's testimony of how an allowed call ended. */
export const ToolCallEndPayload = z.strictObject({
  call_id: z.string().regex(/^[A-Za-z0-9_-]{8,64}$/),
  status: CallStatus,
  latency_ms: z.number().int().nonnegative(),
  bytes_out: z.number().int().nonnegative(),
  result_stream_hash: Sha256Hex.optional(),
  preview: z.strictObject({
    truncated: z.boolean(),
    result_preview: z.string().max(16_384).optional(),
  }),
  error: CallError.optional(),
  /** The answer asks for input: the client makes the same call once more, with what it was asked for. */
  asks_input: z.literal(true).optional(),
  /** The files that changed in the layer of the world of a command. */
  fs_diff: FsDiff.optional(),
});
export type ToolCallEndPayload = z.infer<typeof ToolCallEndPayload>;

/**
 * `tool.call.begin`: may this call run? Exactly one of `args` and `uninspected` is present. For protocol
 * requests that are no tool calls, `tool_name` is `mcp:<method>` and `args` are the request's params.
 * `call_id` is used once in a run: of ids that share all but their last eight characters, each is greater, as
 * text, than the one before. `ends` are reports of calls that ended meanwhile, each as in a `tool.call.end`:
 * one request and one commit for both. `continues` names the call of which this one is the other half: it
 * ended with `asks_input`, and was of the same shim, server, tool and arguments. Where that is not so it is a
 * call like any other. `via` is of calls that are no MCP, whose `transport` is `unknown`; `cwd` is the folder
 * that such a call is made in.
 */
export const ToolCallBeginPayload = z
  .strictObject({
    call_id: z.string().regex(/^[A-Za-z0-9_-]{8,64}$/),
    shim_id: Label,
    server_name: Label,
    tool_name: z.string().min(1).max(512),
    transport: Transport,
    via: CallVia.optional(),
    cwd: z.string().min(1).max(4096).optional(),
    bytes_in: z.number().int().nonnegative(),
    args: JsonObjectSchema.optional(),
    uninspected: Uninspected.optional(),
    timeout_ms: z.number().int().positive().optional(),
    /** The client's words on the call (join keys such as a tool use id); bounded by the shim. */
    context: JsonObjectSchema.optional(),
    continues: z
      .string()
      .regex(/^[A-Za-z0-9_-]{8,64}$/)
      .optional(),
    ends: z.array(ToolCallEndPayload).min(1).max(MAX_CARRIED_ENDS).optional(),
  })
  .refine((payload) => (payload.args === undefined) !== (payload.uninspected === undefined), {
    message: 'exactly one of args and uninspected is required',
  })
  .refine((payload) => payload.via === undefined || payload.transport === 'unknown', {
    message: 'via is of calls whose transport is unknown',
  })
  .refine((payload) => payload.cwd === undefined || payload.via !== undefined, {
    message: 'cwd is of calls that are no MCP',
  });
export type ToolCallBeginPayload = z.infer<typeof ToolCallBeginPayload>;
