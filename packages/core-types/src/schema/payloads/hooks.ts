import * as z from 'zod';
import { JsonObjectSchema, Label } from '../json.js';
import { CallStatus, CallVia } from './tool-call.js';

/**
 * `hook.event`: a client tells of something that it does. `event` is the client's own name for it. Where the
 * event is about a call of a tool, `server_name`, `tool_name` and `tool_use_id` name that call, and `linked`
 * says that its message passes the gateway as well. `facts` are the members of the event that are kept.
 */
export const HookEventPayload = z.strictObject({
  via: CallVia,
  event: Label,
  session_id: Label.optional(),
  agent_id: Label.optional(),
  agent_type: Label.optional(),
  tool_use_id: Label.optional(),
  server_name: Label.optional(),
  tool_name: z.string().min(1).max(512).optional(),
  linked: z.literal(true).optional(),
  facts: JsonObjectSchema,
});
export type HookEventPayload = z.infer<typeof HookEventPayload>;

/**
 * `hook.context`: asks for a text that waits for an agent, in the answer to an event of its client. Where the
 * event tells the end of a call, `tool_use_id` and `status` say of which: its report may still be on its way.
 */
export const HookContextPayload = z.strictObject({
  via: CallVia,
  session_id: Label.optional(),
  agent_id: Label.optional(),
  tool_use_id: Label.optional(),
  status: CallStatus.optional(),
});
export type HookContextPayload = z.infer<typeof HookContextPayload>;
