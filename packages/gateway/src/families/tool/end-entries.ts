import {
  previewOf,
  redact,
  redactFsDiff,
  type FindValues,
  type Decision,
  type JsonObject,
  type JsonValue,
  type ToolCallBeginPayload,
  type ToolCallEndPayload,
} from '@subluminal/core-types';
import type { EntryInput } from '@subluminal/ledger';
import type { Call } from '../../pipeline/call.js';
import type { Verdict } from '../../runs/judge.js';
import type { OpenCall } from '../../runs/run.js';
import { againData, type Draft, type Inspection } from './entries.js';
import { retryableOf } from './retryable.js';

/**
 * `tool_call_end` of a call that was refused: it ends where it was decided. `after` an ALLOW that was durable
 * when another policy refused, it refers to that decision and holds the other one.
 */
export function refusedEndEntry(
  call: Call,
  payload: ToolCallBeginPayload,
  argsHash: string,
  refused: {
    readonly decision: Decision;
    readonly after?: { readonly seq: number; readonly verdict: Verdict };
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
      bytes_out: 0,
      call: { args_hash: argsHash, call_id: payload.call_id },
      error: refusedError(decision),
      latency_ms: 0,
      preview: { truncated: false },
      shim: payload.shim_id,
      status: 'ERROR',
      ...(after === undefined ? {} : againData(after.verdict)),
    },
  };
}

/**
 * `tool_call_end` as the shim reports it. Its preview is redacted again: a shim is not trusted to have done
 * so. Members of the data are in their canonical order, as `startEntry` explains.
 */
export function reportedEndEntry(
  call: Call,
  open: OpenCall,
  payload: ToolCallEndPayload,
  { maxInspectBytes, maxPreviewBytes, valuesOf }: Inspection,
): EntryInput {
  const { status, latency_ms, bytes_out, result_stream_hash: streamHash, error } = payload;
  const values = valuesOf(call.runId);
  const isLarge = bytes_out > maxInspectBytes;
  const { result_preview: text, truncated } = payload.preview;
  const preview = text === undefined || isLarge ? undefined : previewOf(text, maxPreviewBytes, values);
  const data: Record<string, JsonValue> = {};
  if (payload.asks_input === true) data['asks_input'] = true;
  data['bytes_out'] = bytes_out;
  data['call'] = { args_hash: open.argsHash, call_id: open.callId };
  if (error !== undefined) data['error'] = errorData(error, values);
  if (payload.fs_diff !== undefined) data['fs_diff'] = redactFsDiff(payload.fs_diff, values);
  data['latency_ms'] = latency_ms;
  data['preview'] = {
    redactions: preview?.redactions ?? 0,
    truncated: truncated || isLarge || (preview?.truncated ?? false),
  };
  data['req'] = call.requestFields;
  if (streamHash !== undefined) data['result_stream_hash'] = streamHash;
  data['shim'] = open.shimId;
  data['status'] = status;
  const entry: Draft = {
    type: 'tool_call_end',
    ts: call.now,
    runId: call.runId,
    tool: open.tool,
    code: status,
    ref: open.decisionSeq,
    data,
  };
  if (preview !== undefined) entry.blobs = { 'preview.result_preview': preview.text };
  return entry;
}

/** A throttled call may pass later; a run that was ended passes nothing more. */
function refusedError({ action, summary, reason_code: code }: Decision): JsonObject {
  const error = { class: 'policy_block', message: summary, code };
  if (action === 'THROTTLE') return { ...error, retryable: true };
  return action === 'TERMINATE_RUN' ? { ...error, retryable: false } : error;
}

function errorData(error: NonNullable<ToolCallEndPayload['error']>, values: FindValues): JsonObject {
  const { class: kind, message, code, retryable = retryableOf(error) } = error;
  return {
    class: kind,
    message: redact(message, values).text,
    ...(code === undefined ? {} : { code: typeof code === 'string' ? redact(code, values).text : code }),
    ...(retryable === undefined ? {} : { retryable }),
  };
}
