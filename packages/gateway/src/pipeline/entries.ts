import { isJsonObject, redact, startOf, type JsonObject, type JsonValue } from '@subluminal/core-types';
import type { CodeName, EntryInput } from '@subluminal/ledger';
import type { Call } from './call.js';
import type { Outcome, Refusal } from './reply.js';
import type { StageName } from './stage.js';
import type { AnomalyFlag } from '../anomaly/flag.js';

/**
 * `action_pending`: the action that will be executed. `ts`: when it was counted. `facts`: where it goes and
 * with whose secret. The payload is never in it, only its hash.
 */
export function pendingEntry(call: Call, ts: number, facts: JsonObject): EntryInput {
  return {
    type: 'action_pending',
    ts,
    runId: call.runId,
    tool: call.read.action,
    code: 'pending',
    ref: call.grant?.grantSeq ?? null,
    data: {
      req: call.requestFields,
      payload_hash: call.payloadHash,
      source: call.caller.source,
      ...facts,
      ...(call.hops === 0 ? {} : { redirects: call.hops }),
    },
  };
}

/** `action_result`: what became of a pending action. */
export function resultEntry(
  call: Call,
  outcome: Pick<Outcome, 'status' | 'error' | 'facts'>,
  ref: number,
  ts: number,
): EntryInput {
  return {
    type: 'action_result',
    ts,
    runId: call.runId,
    tool: call.read.action,
    code: outcome.status,
    ref,
    data: {
      req: { id: call.requestId },
      status: outcome.status,
      payload_hash: call.payloadHash,
      ...(outcome.error === undefined ? {} : { error: errorFields(outcome.error) }),
      ...outcome.facts,
    },
  };
}

/** A refusal, as it is recorded. */
export interface Rejected {
  readonly stage: StageName;
  readonly refusal: Refusal;
  /** Where the request wanted to go, as far as that was read. */
  readonly about: JsonObject;
  readonly ts: number;
}

/**
 * `action_rejected`: the stage and the reason of a refusal. The request may be anything that a caller can
 * send.
 */
export function rejectedEntry(call: Call, { stage, refusal, about, ts }: Rejected): EntryInput {
  const action = (call.isRead ? call.read.action : call.named) ?? null;
  return {
    type: 'action_rejected',
    ts,
    runId: refusal.runId ?? (call.caller.run?.state === 'live' ? call.runId : null),
    tool: action,
    code: rejectedCode(refusal),
    ref: null,
    data: {
      req: call.requestFields,
      source: call.caller.source,
      action: action ?? '',
      stage,
      error: errorFields(refusal.error),
      ...about,
      ...(call.isRead ? { payload_hash: call.payloadHash } : {}),
    },
  };
}

/**
 * `anomaly`: something unusual about a request, whatever became of it; `connection`: at the end of the one
 * that this entry opened.
 */
export function anomalyEntry(call: Call, flag: AnomalyFlag, connection?: number): EntryInput {
  return {
    type: 'anomaly',
    ts: call.now,
    runId: call.runId,
    tool: connection === undefined ? call.read.action : 'net.connect',
    code: flag.reaction === 'approve' && call.grant === undefined ? 'requires_approval' : null,
    ref: null,
    data: {
      req: { id: call.requestId },
      kind: flag.kind,
      reaction: flag.reaction,
      summary: redact(flag.summary).text,
      facts: shownFacts(flag.facts),
      ...(connection === undefined ? {} : { connection }),
      payload_hash: call.payloadHash,
    },
  };
}

/** Names in it are what a client wrote. */
function shownFacts(facts: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(facts).map(([key, value]) => [key, shownValue(value)]));
}

function shownValue(value: JsonValue): JsonValue {
  if (typeof value === 'string') return redact(value).text;
  if (Array.isArray(value)) return value.map((one: JsonValue) => shownValue(one));
  return isJsonObject(value) ? shownFacts(value) : value;
}

function rejectedCode(refusal: Refusal): CodeName {
  return refusal.status === 'error' ? 'rejected' : refusal.status;
}

function errorFields(error: { readonly code: string; readonly message: string }): JsonObject {
  return { code: error.code, message: redact(startOf(error.message, 1024)).text };
}
