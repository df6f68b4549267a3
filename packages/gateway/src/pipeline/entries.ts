import {
  canonicalize,
  isJsonObject,
  redact,
  startOf,
  type JsonObject,
  type JsonValue,
} from '@subluminal/core-types';
import type { CodeName, EntryInput } from '@subluminal/ledger';
import type { Destination } from '@subluminal/egress';
import { factsData } from '../families/connection/facts.js';
import type { PipelineCall } from './call.js';
import type { Outcome, Refusal } from './reply.js';
import type { StageName } from './stage.js';
import type { AnomalyFlag } from '../anomaly/flag.js';

/** The longest canonical text of what an operator's action changed. */
const MAX_DETAIL = 8192;

/** The request that an entry comes from. The signature makes it the client's word, not only ours. */
export function requestFields(call: PipelineCall): JsonObject {
  return { id: call.requestId, sig: call.requestMac };
}

/** `action_pending`: what will be executed, where it goes, and with whose secret. Never the payload, only its hash. */
export function pendingEntry(call: PipelineCall): EntryInput {
  const destination = call.decided?.destination;
  return {
    type: 'action_pending',
    ts: call.countedMs ?? call.now,
    runId: call.runId,
    tool: call.read.action,
    code: 'pending',
    ref: call.grant?.grantSeq ?? null,
    data: {
      req: requestFields(call),
      payload_hash: call.payloadHash,
      source: call.caller.source,
      ...(destination === undefined
        ? {}
        : { destination: shownOrigin(destination), addresses: [...destination.addresses] }),
      ...(call.accountName === undefined ? {} : { account: call.accountName }),
      ...(call.connection === undefined ? {} : { facts: factsData(call.connection) }),
      ...(call.hops === 0 ? {} : { redirects: call.hops }),
    },
  };
}

/** `action_result`: what became of a pending action. */
export function resultEntry(call: PipelineCall, outcome: Outcome, ref: number, ts: number): EntryInput {
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
      ...(call.read.definition.family === 'operate'
        ? operatorFacts(outcome.recorded ?? outcome.data)
        : resultFacts(outcome.data)),
    },
  };
}

/** The result of a pending action that nobody can report any more. */
export function interruptedEntry(pending: {
  readonly seq: number;
  readonly runId: string | null;
  readonly action: string;
  readonly requestId: string;
  readonly ts: number;
}): EntryInput {
  return {
    type: 'action_result',
    ts: pending.ts,
    runId: pending.runId,
    tool: pending.action,
    code: 'error',
    ref: pending.seq,
    data: {
      req: { id: pending.requestId },
      status: 'error',
      error: {
        code: 'interrupted',
        message: 'the action was pending when it was cut off; its effect is unknown',
      },
    },
  };
}

/** `action_rejected`: what was refused, at which stage and why, and where it wanted to go as far as that was read. The request may be anything that a caller can send. */
export function rejectedEntry(
  call: PipelineCall,
  stage: StageName,
  refusal: Refusal,
  ts: number,
): EntryInput {
  const action = (call.isRead ? call.read.action : call.named) ?? null;
  return {
    type: 'action_rejected',
    ts,
    runId: call.caller.run?.state === 'live' ? call.runId : null,
    tool: action,
    code: rejectedCode(refusal),
    ref: null,
    data: {
      req: requestFields(call),
      source: call.caller.source,
      action: action ?? '',
      stage,
      error: errorFields(refusal.error),
      ...(call.wanted === undefined ? {} : { destination: shownOrigin(call.wanted) }),
      ...(call.connection === undefined ? {} : { facts: factsData(call.connection) }),
      ...(call.isRead ? { payload_hash: call.payloadHash } : {}),
    },
  };
}

/** `anomaly`: something unusual about a request, whatever became of it; `connection`: at the end of the one that this entry opened. */
export function anomalyEntry(call: PipelineCall, flag: AnomalyFlag, connection?: number): EntryInput {
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
  return value !== null && isJsonObject(value) ? shownFacts(value) : value;
}

/** A name is what a client wrote, as soon as it need not be listed. */
function shownOrigin({ origin }: Destination): string {
  return redact(origin).text;
}

function rejectedCode(refusal: Refusal): CodeName {
  return refusal.status === 'error' ? 'rejected' : refusal.status;
}

function errorFields(error: { readonly code: string; readonly message: string }): JsonObject {
  return { code: error.code, message: redact(startOf(error.message, 1024)).text };
}

/** What an operator's action changed, as it was answered: who reads the ledger sees what was allowed. */
function operatorFacts(data: JsonValue | undefined): JsonObject {
  if (data === undefined || canonicalize(data).length > MAX_DETAIL) return {};
  return { detail: data };
}

/** Of a service's answer only its status and size are recorded. */
function resultFacts(data: JsonValue | undefined): JsonObject {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return {};
  const facts: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(data)) {
    if ((key === 'status' || key === 'bytes') && typeof value === 'number') facts[`service_${key}`] = value;
  }
  return facts;
}
