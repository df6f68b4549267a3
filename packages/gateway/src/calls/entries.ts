import {
  canonicalize,
  previewOf,
  redact,
  type Decision,
  type JsonObject,
  type PolicyRef,
  type ToolCallBeginPayload,
  type ToolCallEndPayload,
} from '@subluminal/core-types';
import type { EntryInput } from '@subluminal/ledger';
import type { PipelineCall } from '../pipeline/call.js';
import { decisionEntryData, type Verdict } from '../policy/judge.js';
import { requestFields } from '../recording/entries.js';
import type { OpenCall } from '../runs/run.js';

/** The longest canonical text of a call's context that its entry keeps. */
const MAX_CONTEXT = 4096;

// Members of an entry's data are written in their canonical order, which spares the ledger the sorting.

/** How much of a call is inspected and shown (Interface Pack §1.10). */
export interface InspectLimits {
  readonly maxInspectBytes: number;
  readonly maxPreviewBytes: number;
}

/** `tool_call_start`. The preview is redacted, and left out where the message was too large to be inspected. */
export function startEntry(
  call: PipelineCall,
  payload: ToolCallBeginPayload,
  facts: { readonly argsHash: string; readonly tags: readonly string[]; readonly limits: InspectLimits },
): EntryInput {
  const { argsHash, tags, limits } = facts;
  const { uninspected, timeout_ms: timeout, context } = payload;
  const text = call.read.argsCanonical;
  const shown = text === undefined || payload.bytes_in > limits.maxInspectBytes ? undefined : text;
  const preview = shown === undefined ? undefined : previewOf(shown, limits.maxPreviewBytes);
  return {
    type: 'tool_call_start',
    ts: call.now,
    runId: call.runId,
    tool: [payload.server_name, payload.tool_name],
    data: {
      call: {
        args_hash: argsHash,
        ...(uninspected === undefined ? {} : { args_stream_hash: uninspected.stream_hash }),
        bytes_in: payload.bytes_in,
        call_id: payload.call_id,
        ...contextFields(context),
        preview: { redactions: preview?.redactions ?? 0, truncated: preview?.truncated ?? true },
        seq: call.callSeq,
        ...(tags.length === 0 ? {} : { tags: [...tags] }),
        ...(timeout === undefined ? {} : { timeout_ms: timeout }),
        transport: payload.transport,
      },
      req: requestFields(call),
      shim: payload.shim_id,
    },
    ...(preview === undefined ? {} : { blobs: { 'call.preview.args_preview': preview.text } }),
  };
}

/** `tool_call_decision`; an ALLOW is the pending entry of the call. */
export function decisionEntry(
  call: PipelineCall,
  payload: ToolCallBeginPayload,
  argsHash: string,
  verdict: Verdict,
): EntryInput {
  const { effective, ruled, policy } = verdict;
  const shadow = ruled.action === effective.action ? {} : { shadow: ruled.action };
  return {
    type: 'tool_call_decision',
    ts: call.now,
    runId: call.runId,
    tool: [payload.server_name, payload.tool_name],
    code: effective.action,
    data: {
      call: { args_hash: argsHash, call_id: payload.call_id },
      decision: { ...decisionEntryData(effective), ...shadow },
      policy: policyData(policy),
      shim: payload.shim_id,
    },
  };
}

/**
 * `tool_call_end` of a call that was refused: it ends where it was decided. `after` an ALLOW that was durable when
 * another policy refused, it refers to that decision and names the policy.
 */
export function refusedEndEntry(
  call: PipelineCall,
  payload: ToolCallBeginPayload,
  argsHash: string,
  refused: {
    readonly decision: Decision;
    readonly after?: { readonly seq: number; readonly policy: PolicyRef };
  },
): EntryInput {
  const { decision, after } = refused;
  return {
    type: 'tool_call_end',
    ts: call.now,
    runId: call.runId,
    tool: [payload.server_name, payload.tool_name],
    code: 'ERROR',
    ...(after === undefined ? {} : { ref: after.seq }),
    data: {
      shim: payload.shim_id,
      call: { call_id: payload.call_id, args_hash: argsHash },
      status: 'ERROR',
      latency_ms: 0,
      bytes_out: 0,
      preview: { truncated: false },
      error: { class: 'policy_block', message: decision.summary, code: decision.reason_code },
      ...(after === undefined ? {} : { policy: policyData(after.policy) }),
    },
  };
}

/** `hint_issued` (Interface Pack §3.3). */
export function hintEntry(
  call: PipelineCall,
  payload: ToolCallBeginPayload,
  hint: NonNullable<Decision['hint']>,
): EntryInput {
  return {
    type: 'hint_issued',
    ts: call.now,
    runId: call.runId,
    tool: [payload.server_name, payload.tool_name],
    data: { shim: payload.shim_id, call: { call_id: payload.call_id }, hint },
  };
}

/** `tool_call_end` as the shim reports it. What it shows is redacted again: a shim is not trusted to have done so. */
export function reportedEndEntry(
  call: PipelineCall,
  open: OpenCall,
  payload: ToolCallEndPayload,
  maxPreviewBytes: number,
): EntryInput {
  const { status, latency_ms, bytes_out, result_stream_hash: streamHash, error } = payload;
  const { result_preview: text, truncated } = payload.preview;
  const preview = text === undefined ? undefined : previewOf(text, maxPreviewBytes);
  return {
    type: 'tool_call_end',
    ts: call.now,
    runId: call.runId,
    tool: open.tool,
    code: status,
    ref: open.decisionSeq,
    data: {
      bytes_out,
      call: { args_hash: open.argsHash, call_id: open.callId },
      ...(error === undefined ? {} : { error: errorData(error) }),
      latency_ms,
      preview: {
        redactions: preview?.redactions ?? 0,
        truncated: truncated || (preview?.truncated ?? false),
      },
      req: requestFields(call),
      ...(streamHash === undefined ? {} : { result_stream_hash: streamHash }),
      shim: open.shimId,
      status,
    },
    ...(preview === undefined ? {} : { blobs: { 'preview.result_preview': preview.text } }),
  };
}

/** `tool_call_end` of a call whose end nobody can report any more. Whether it had its effect is not known. */
export function unreportedEndEntry(runId: string, open: OpenCall, ts: number, message: string): EntryInput {
  return {
    type: 'tool_call_end',
    ts,
    runId,
    tool: open.tool,
    code: 'ERROR',
    ref: open.decisionSeq,
    data: {
      shim: open.shimId,
      call: { call_id: open.callId, args_hash: open.argsHash },
      status: 'ERROR',
      latency_ms: Math.max(0, ts - open.startedMs),
      bytes_out: 0,
      preview: { truncated: false },
      error: { class: 'unknown', message, code: 'interrupted' },
    },
  };
}

/** A policy reference as JSON. */
export function policyData({ policy_id, policy_version, policy_hash }: PolicyRef): JsonObject {
  return { policy_hash, policy_id, policy_version };
}

/** What a client says of its call is kept while it is small and holds nothing that looks like a credential. */
function contextFields(context: JsonObject | undefined): JsonObject {
  if (context === undefined) return {};
  const text = canonicalize(context);
  return text.length > MAX_CONTEXT || redact(text).count > 0 ? { context_dropped: true } : { context };
}

function errorData(error: NonNullable<ToolCallEndPayload['error']>): JsonObject {
  const { class: kind, message, code, retryable } = error;
  return {
    class: kind,
    message: redact(message).text,
    ...(code === undefined ? {} : { code: typeof code === 'string' ? redact(code).text : code }),
    ...(retryable === undefined ? {} : { retryable }),
  };
}
