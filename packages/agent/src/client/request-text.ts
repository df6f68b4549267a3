import { canonicalize } from '@subluminal/core-types';
import { type CallEnd, type ToolCall, UninspectedArgs } from './contract.js';

/** The members of a `tool.call.begin` besides the call itself. */
export interface BeginContext {
  readonly callId: string;
  readonly shimId: string;
  /** Canonical texts of ends that travel along. */
  readonly ends: readonly string[];
}

/**
 * The payload of a `tool.call.begin` as canonical JSON. Its keys stand here in their order, so that only what
 * is foreign is walked and sorted. Throws `not_canonical` or `too_deep` as `canonicalize` does.
 */
export function beginText(call: ToolCall, { callId, shimId, ends }: BeginContext): string {
  const { args, bytes_in: bytes, call_context: context, continues, cwd, via } = call;
  const inspected = !(args instanceof UninspectedArgs);
  return (
    `{${inspected ? `"args":${canonicalize(args, 1)},` : ''}"bytes_in":${bytes},"call_id":${canonicalize(callId)},` +
    (context === undefined ? '' : `"context":${canonicalize(context, 1)},`) +
    (continues === undefined ? '' : `"continues":${canonicalize(continues)},`) +
    (cwd === undefined ? '' : `"cwd":${canonicalize(cwd)},`) +
    (ends.length === 0 ? '' : `"ends":[${ends.join()}],`) +
    `"server_name":${canonicalize(call.server_name)},"shim_id":${canonicalize(shimId)},` +
    `"tool_name":${canonicalize(call.tool_name)},"transport":"${call.transport}"` +
    (inspected ? '' : `,"uninspected":${uninspectedText(args)}`) +
    `${via === undefined ? '' : `,"via":"${via}"`}}`
  );
}

/** The payload of a `tool.call.end` as canonical JSON, alone or among the `ends` of a `tool.call.begin`. */
export function endText(callId: string, end: CallEnd): string {
  const { error, preview, result_stream_hash: hash } = end;
  const shown = preview.result_preview;
  return (
    `{${end.asks_input === true ? '"asks_input":true,' : ''}"bytes_out":${end.bytes_out},"call_id":${canonicalize(callId)},` +
    (error === undefined ? '' : `"error":${canonicalize(error)},`) +
    (end.fs_diff === undefined ? '' : `"fs_diff":${canonicalize(end.fs_diff)},`) +
    `"latency_ms":${end.latency_ms},"preview":{` +
    (shown === undefined ? '' : `"result_preview":${canonicalize(shown)},`) +
    `"truncated":${preview.truncated}},` +
    (hash === undefined ? '' : `"result_stream_hash":${canonicalize(hash)},`) +
    `"status":"${end.status}"}`
  );
}

function uninspectedText({ argKeys, bytes, streamHash }: UninspectedArgs): string {
  const keys = argKeys === undefined ? '' : `"arg_keys":${canonicalize(argKeys, 2)},`;
  return `{${keys}"bytes":${bytes},"stream_hash":${canonicalize(streamHash)}}`;
}
