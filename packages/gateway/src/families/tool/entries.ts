import {
  previewOf,
  redact,
  type FindValues,
  type JsonObject,
  type JsonValue,
  type ToolCallBeginPayload,
} from '@subluminal/core-types';
import type { EntryInput } from '@subluminal/ledger';
import type { Trip } from '@subluminal/policy';
import type { Call } from '../../pipeline/call.js';
import { decisionEntryData } from '../../runs/decision-data.js';
import type { Verdict } from '../../runs/judge.js';
import { policyData } from '../../policy/policy-data.js';
import { shownHint } from '../../recording/shown-hint.js';
import { contextFields } from './call-context.js';

/** An entry that is being made. */
export type Draft = { -readonly [K in keyof EntryInput]: EntryInput[K] };

/** How much of a call is inspected and shown, and which secrets are taken out of it. */
export interface Inspection {
  /** Finds the secrets of a run's servers. */
  readonly valuesOf: (runId: string | null) => FindValues;
  readonly maxInspectBytes: number;
  readonly maxPreviewBytes: number;
}

/**
 * `tool_call_start`. The preview is redacted, and left out where the message was too large to be inspected.
 * Members of the data are in their canonical order, which spares the ledger the sorting, and are added one by
 * one, because an object that is spread is copied name by name.
 */
export function startEntry(
  call: Call,
  payload: ToolCallBeginPayload,
  facts: {
    readonly argsHash: string;
    /** Its number in the run. */
    readonly seq: number;
    readonly verdict: Pick<Verdict, 'continues' | 'tags'>;
    readonly inspection: Inspection;
    /** How long it may take, where the gateway says so. */
    readonly timeoutMs: number | undefined;
  },
): EntryInput {
  const { argsHash, verdict, inspection, timeoutMs } = facts;
  const { continues, tags } = verdict;
  const { uninspected, timeout_ms: timeout = timeoutMs, context } = payload;
  const text = call.read.argsCanonical;
  const shown = text === undefined || payload.bytes_in > inspection.maxInspectBytes ? undefined : text;
  const preview =
    shown === undefined
      ? undefined
      : previewOf(shown, inspection.maxPreviewBytes, inspection.valuesOf(call.runId));
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

/** The answer of a policy to a call that another one had allowed. */
export function againData({ effective, facts, policy }: Verdict): {
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
