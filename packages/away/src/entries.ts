import { type FindValues, previewOf, redact, type JsonObject, type JsonValue } from '@subluminal/core-types';
import type { EntryInput } from '@subluminal/ledger';
import type { Charge } from '@subluminal/policy';
import { policyData } from '@subluminal/gateway';
import type { BadSpool, Claim, GoodSpool, SpooledCall } from './read-spool.js';

/** What was found out about a spooled call when it was ingested. */
export interface CountedCall {
  readonly call: SpooledCall;
  /** Its number among the run's calls. */
  readonly seq: number;
  readonly charge: Charge;
  /** The `facts` of its decision; undefined for none. */
  readonly facts: JsonObject | undefined;
  /** What the policy that is loaded now says of it, where that is not ALLOW. */
  readonly now: JsonObject | undefined;
}

/** The longest preview, and the secrets that stand in none. */
export interface ShownLimits {
  readonly maxPreviewBytes: number;
  readonly values: FindValues;
}

/** Where an entry comes from that nobody decided when it happened. */
export interface Source {
  readonly runId: string;
  readonly ts: number;
  readonly spool: GoodSpool;
}

/**
 * `tool_call_start` and `tool_call_decision` of a call that a shim decided alone, and its end where that was
 * written. All of it is the shim's testimony, and says so.
 */
export function callEntries(
  { runId, ts, spool }: Source,
  counted: CountedCall,
  { maxPreviewBytes, values }: ShownLimits,
): EntryInput[] {
  const { call, seq, facts, now } = counted;
  const { begin, n } = call;
  const { head } = spool.header;
  const common = { ts, runId, tool: [head.server_name, begin.tool_name] as const };
  const testimony = { line: n, ms: begin.ms, spool: head.id };
  const { args_preview: preview, redactions, truncated } = begin.preview;
  const shown = previewOf(preview, maxPreviewBytes, values);
  const start: EntryInput = {
    ...common,
    type: 'tool_call_start',
    data: {
      call: {
        args_hash: begin.args_hash,
        bytes_in: begin.bytes_in,
        call_id: begin.call_id,
        preview: { redactions, truncated: truncated || shown.truncated },
        seq,
        tags: begin.tags,
        transport: 'mcp_stdio',
      },
      shim: head.shim_id,
      testimony: { ...testimony, asked: begin.asked },
    },
    blobs: { 'call.preview.args_preview': shown.text },
  };
  const { rule_id, severity, reason_code, summary } = begin.decision;
  const decision: EntryInput = {
    ...common,
    type: 'tool_call_decision',
    code: 'ALLOW',
    data: {
      call: { args_hash: begin.args_hash, call_id: begin.call_id },
      decision: {
        action: 'ALLOW',
        explain: { reason_code, summary: redact(summary, values).text },
        rule_id,
        severity,
      },
      ...(facts === undefined ? {} : { facts }),
      policy: policyData(head.policy),
      shim: head.shim_id,
      testimony: now === undefined ? testimony : { ...testimony, now },
    },
  };
  const end = endEntry({ runId, ts, spool }, call, { maxPreviewBytes, values });
  return end === undefined ? [start, decision] : [start, decision, end];
}

function endEntry(
  { runId, ts, spool }: Source,
  { begin, end, n }: SpooledCall,
  { maxPreviewBytes, values }: ShownLimits,
): EntryInput | undefined {
  if (end === undefined) return undefined;
  const { status, latency_ms, bytes_out, result_stream_hash: streamHash, error, preview } = end.end;
  const { head } = spool.header;
  const text = preview.result_preview;
  const shown = text === undefined ? undefined : previewOf(text, maxPreviewBytes, values);
  return {
    ts,
    runId,
    tool: [head.server_name, begin.tool_name],
    type: 'tool_call_end',
    code: status,
    data: {
      bytes_out,
      call: { args_hash: begin.args_hash, call_id: begin.call_id },
      ...(error === undefined
        ? {}
        : {
            error: {
              class: error.class,
              message: redact(error.message, values).text,
              ...(error.code === undefined
                ? {}
                : { code: typeof error.code === 'string' ? redact(error.code, values).text : error.code }),
            },
          }),
      latency_ms,
      preview: {
        redactions: shown?.redactions ?? 0,
        truncated: preview.truncated || (shown?.truncated ?? false),
      },
      ...(streamHash === undefined ? {} : { result_stream_hash: streamHash }),
      shim: head.shim_id,
      status,
      testimony: { line: n, ms: end.ms, spool: head.id },
    },
    ...(shown === undefined ? {} : { blobs: { 'preview.result_preview': shown.text } }),
  };
}

/** `spool_ingested` of a spool that was believed. */
export function ingestedEntry({ runId, ts, spool }: Source, from: JsonObject): EntryInput {
  const { head, owner } = spool.header;
  const open = spool.calls.filter(({ end }) => end === undefined).length;
  return {
    type: 'spool_ingested',
    ts,
    runId,
    code: 'success',
    data: {
      ...from,
      calls: spool.calls.length,
      first: spool.first,
      issued_ms: head.issued_ms,
      last: spool.last,
      lines: spool.lines,
      open,
      owner: { pid: owner.pid, start: owner.start },
      policy: policyData(head.policy),
      shim: head.shim_id,
      spool: head.id,
      ...(spool.torn ? { torn: true } : {}),
    },
  };
}

/** What was done about a spool that was not believed. */
export interface Refused {
  readonly from: JsonObject;
  readonly claim: Claim | undefined;
  /** `error`: the run gets no snapshot any more. `rejected`: nothing says that it was the run's own. */
  readonly code: 'error' | 'rejected';
  readonly charged: number;
  readonly charge: JsonValue | undefined;
}

/**
 * `spool_ingested` of a spool that was not believed: what is wrong with it, and what it was charged all the
 * same.
 */
export function refusedEntry(runId: string, ts: number, bad: BadSpool, refused: Refused): EntryInput {
  const { claim, charged, charge, code, from } = refused;
  return {
    type: 'spool_ingested',
    ts,
    runId,
    code,
    data: {
      ...from,
      charged,
      ...(claim === undefined ? {} : { claimed: { ...claim } }),
      ...(charge === undefined ? {} : { facts: { charge } }),
      ...(bad.at === undefined ? {} : { line: bad.at }),
      readable: bad.calls.length,
      reason: bad.reason,
      ...(bad.id === undefined ? {} : { spool: bad.id }),
    },
  };
}

/** `spool_ingested` of one that was taken in before. */
export function replayedEntry(runId: string, ts: number, spool: string, from: JsonObject): EntryInput {
  return {
    type: 'spool_ingested',
    ts,
    runId,
    code: 'rejected',
    data: { ...from, charged: 0, reason: 'replayed', spool },
  };
}

/**
 * `spool_ingested` of one whose run had ended when it was found: nothing can be added to a run that has
 * ended.
 */
export function lateEntry(runId: string, ts: number, spool: string, readable: number): EntryInput {
  return {
    type: 'spool_ingested',
    ts,
    runId: null,
    code: 'rejected',
    data: { charged: 0, from: 'folder', of_run: runId, readable, reason: 'run_ended', spool },
  };
}
