import {
  previewOf,
  redact,
  type FindValues,
  type Decision,
  type JsonObject,
  type JsonValue,
  type ToolCallBeginPayload,
  type ToolCallEndPayload,
} from '@subluminal/core-types';
import type { EntryInput } from '@subluminal/ledger';
import type { Trip } from '@subluminal/policy';
import type { Call } from '../../pipeline/call.js';
import { decisionEntryData, type Verdict } from '../../runs/judge.js';
import { policyData } from '../../policy/policy-data.js';
import { shownHint } from '../../recording/shown-hint.js';
import type { OpenCall } from '../../runs/run.js';
import { contextFields } from './call-context.js';
import { retryableOf } from './retryable.js';

/** An entry that is being made. */
type Draft = { -readonly [K in keyof EntryInput]: EntryInput[K] };

// Members of an entry's data are written in their canonical order, which spares the ledger the sorting.

/** How much of a call is inspected and shown. */
export interface InspectLimits {
  /** Finds the secrets of a run's servers. */
  readonly valuesOf: (runId: string | null) => FindValues;
  readonly maxInspectBytes: number;
  readonly maxPreviewBytes: number;
}

/**
 * `tool_call_start`. The preview is redacted, and left out where the message was too large to be inspected.
 */
export function startEntry(
  call: Call,
  payload: ToolCallBeginPayload,
  facts: {
    readonly argsHash: string;
    /** Its number in the run. */
    readonly seq: number;
    readonly verdict: Pick<Verdict, 'continues' | 'tags'>;
    readonly limits: InspectLimits;
    /** How long it may take, where the gateway says so. */
    readonly timeoutMs: number | undefined;
  },
): EntryInput {
  const { argsHash, verdict, limits, timeoutMs } = facts;
  const { continues, tags } = verdict;
  const { uninspected, timeout_ms: timeout = timeoutMs, context } = payload;
  const text = call.read.argsCanonical;
  const shown = text === undefined || payload.bytes_in > limits.maxInspectBytes ? undefined : text;
  const preview =
    shown === undefined ? undefined : previewOf(shown, limits.maxPreviewBytes, limits.valuesOf(call.runId));
  // Member by member: an object that is spread is copied name by name.
  const fields: Record<string, JsonValue> = { args_hash: argsHash };
  if (uninspected !== undefined) fields['args_stream_hash'] = uninspected.stream_hash;
  fields['bytes_in'] = payload.bytes_in;
  fields['call_id'] = payload.call_id;
  if (context !== undefined) Object.assign(fields, contextFields(context));
  if (continues !== undefined) fields['continues'] = continues.callId;
  if (payload.cwd !== undefined) fields['cwd'] = redact(payload.cwd).text;
  fields['preview'] = { redactions: preview?.redactions ?? 0, truncated: preview?.truncated ?? true };
  fields['seq'] = facts.seq;
  if (tags.length > 0) fields['tags'] = [...tags];
  if (timeout !== undefined) fields['timeout_ms'] = timeout;
  fields['transport'] = payload.transport;
  if (payload.via !== undefined) fields['via'] = payload.via;
  const entry: Draft = {
    type: 'tool_call_start',
    ts: call.now,
    runId: call.runId,
    tool: [payload.server_name, payload.tool_name],
    data: { call: fields, payload_hash: call.payloadHash, req: call.requestFields, shim: payload.shim_id },
  };
  if (preview !== undefined) entry.blobs = { 'call.preview.args_preview': preview.text };
  return entry;
}

/** `tool_call_decision`; an ALLOW is the pending entry of the call. */
export function decisionEntry(
  call: Call,
  payload: ToolCallBeginPayload,
  argsHash: string,
  verdict: Verdict,
): EntryInput {
  const { continues, effective, ruled, policy, facts } = verdict;
  const decision = decisionEntryData(effective);
  return {
    type: 'tool_call_decision',
    ts: call.now,
    runId: call.runId,
    tool: [payload.server_name, payload.tool_name],
    code: effective.action,
    data: {
      call: {
        args_hash: argsHash,
        call_id: payload.call_id,
        ...(continues === undefined ? {} : { continues: continues.callId }),
      },
      decision: ruled.action === effective.action ? decision : { ...decision, shadow: ruled.action },
      ...(facts === undefined ? {} : { facts }),
      policy: policyData(policy),
      shim: payload.shim_id,
    },
  };
}

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
      shim: payload.shim_id,
      call: { call_id: payload.call_id, args_hash: argsHash },
      status: 'ERROR',
      latency_ms: 0,
      bytes_out: 0,
      preview: { truncated: false },
      error: refusedError(decision),
      ...(after === undefined ? {} : againData(after.verdict)),
    },
  };
}

/**
 * `hint_issued`, with the rule that gave the hint; none if the decision has none; `policy` if that rule
 * is one of a policy that narrows that of the home.
 */
export function hintEntries(
  call: Call,
  payload: ToolCallBeginPayload,
  argsHash: string,
  { effective: { hint, rule_id: rule }, narrows }: Pick<Verdict, 'effective' | 'narrows'>,
): EntryInput[] {
  if (hint === undefined) return [];
  const about = { args_hash: argsHash, call_id: payload.call_id };
  const data = {
    call: about,
    hint: shownHint(hint),
    rule_id: rule,
    ...(narrows === undefined ? {} : { policy: narrows }),
  };
  return [entryOf('hint_issued', call, payload, data)];
}

/** `breaker_trip`: each breaker that was closed until this call. */
export function tripEntries(call: Call, payload: ToolCallBeginPayload, trips: readonly Trip[]): EntryInput[] {
  return trips.map((trip) =>
    entryOf('breaker_trip', call, payload, { breaker: { ...trip }, call: { call_id: payload.call_id } }),
  );
}

/**
 * `policy_loaded` in a run: the call that was allowed was asked again, allowed as well, and charged in
 * another way.
 */
export function askedAgainEntry(
  call: Call,
  payload: ToolCallBeginPayload,
  again: { readonly argsHash: string; readonly seq: number; readonly verdict: Verdict },
): EntryInput {
  const { argsHash, seq, verdict } = again;
  const { facts, policy } = againData(verdict);
  return entryOf('policy_loaded', call, payload, {
    call: { args_hash: argsHash, call_id: payload.call_id },
    facts: { ...facts, of: seq },
    policy: { ...policy, mode: verdict.snapshot.mode },
  });
}

function entryOf(
  type: EntryInput['type'],
  call: Call,
  payload: ToolCallBeginPayload,
  data: JsonObject,
): EntryInput {
  return {
    type,
    ts: call.now,
    runId: call.runId,
    tool: [payload.server_name, payload.tool_name],
    data: { ...data, shim: payload.shim_id },
  };
}

/** What a policy says of a call that another one had allowed. */
function againData({ effective, facts, policy }: Verdict): {
  readonly decision: JsonObject;
  readonly facts: JsonObject;
  readonly policy: JsonObject;
} {
  return {
    decision: decisionEntryData(effective),
    facts: { ...facts, again: true },
    policy: policyData(policy),
  };
}

/**
 * `tool_call_end` as the shim reports it. What it shows is redacted again: a shim is not trusted to have done
 * so.
 */
export function reportedEndEntry(
  call: Call,
  open: OpenCall,
  payload: ToolCallEndPayload,
  { maxInspectBytes, maxPreviewBytes, valuesOf }: InspectLimits,
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
