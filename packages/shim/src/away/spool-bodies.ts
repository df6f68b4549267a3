import { type JsonObject, previewOf, startOf } from '@subluminal/core-types';
import type { DecideResult, PolicyCall } from '@subluminal/policy';
import type { CallEnd } from '@subluminal/agent';

const PREVIEW_BYTES = 512;
const MAX_TEXT = 1024;
const MAX_SHOWN_ERROR = 200;

/** A call that no gateway has decided. */
export interface AskedCall {
  /** The id under which the gateway was asked. */
  readonly asked: string;
  readonly tool_name: string;
  /** Its inspected arguments as canonical JSON. */
  readonly args_text: string;
  readonly bytes_in: number;
}

/** The line of a call that may be made. */
export function beginBody(
  question: PolicyCall,
  about: {
    readonly call: AskedCall;
    readonly args: JsonObject;
    readonly now: number;
    readonly found: DecideResult;
    readonly callId: string;
    /** The longest preview that the gateway keeps. */
    readonly previewBytes: number;
  },
): JsonObject {
  const { call, args, now, found, callId, previewBytes } = about;
  const { rule_id, severity, reason_code, summary } = found.decision;
  const shown = previewOf(call.args_text, Math.min(PREVIEW_BYTES, previewBytes));
  return {
    kind: 'begin',
    ms: now,
    call_id: callId,
    asked: call.asked,
    tool_name: question.tool_name,
    args_hash: question.args_hash,
    args,
    bytes_in: call.bytes_in,
    preview: { args_preview: shown.text, redactions: shown.redactions, truncated: shown.truncated },
    tags: [...found.tags],
    decision: {
      rule_id,
      severity,
      reason_code: startOf(reason_code, MAX_TEXT),
      summary: startOf(summary, MAX_TEXT),
    },
  };
}

/** The line of its end. */
export function endBody(callId: string, end: CallEnd, now: number): JsonObject {
  // No command of a world passes a shim.
  const { error, preview, fs_diff: _none, ...rest } = end;
  return {
    kind: 'end',
    ms: now,
    end: {
      ...rest,
      call_id: callId,
      preview: { ...preview },
      ...(error === undefined ? {} : { error: { ...error } }),
    },
  };
}

/** An end without what may be long. */
export function shortened(end: CallEnd): CallEnd {
  const { error } = end;
  return {
    ...end,
    preview: { truncated: true },
    ...(error === undefined ? {} : { error: { ...error, message: startOf(error.message, MAX_SHOWN_ERROR) } }),
  };
}
