import {
  isSublError,
  sha256Hex,
  type Decision,
  type ErrorCode,
  type JsonObject,
  type ToolCallBeginPayload,
  type ToolCallEndPayload,
} from '@subluminal/core-types';
import type { EntryInput } from '@subluminal/ledger';
import type { ActionHandler } from '../pipeline/handlers.js';
import type { PipelineCall } from '../pipeline/call.js';
import { payloadOf } from '../pipeline/payload.js';
import { refuse, success, type Outcome, type Refusal } from '../pipeline/reply.js';
import type { StageResult } from '../pipeline/stage.js';
import type { PolicyHolder } from '../policy/holder.js';
import { decisionData, judgeCall, type Verdict } from '../policy/judge.js';
import { auditRef, type Recorder } from '../recording/recorder.js';
import type { RunLifecycle } from '../runs/lifecycle.js';
import { MAX_OPEN_CALLS, type OpenCall, type Run } from '../runs/run.js';
import type { ToolPins } from '../tools/tool-pins.js';
import {
  decisionEntry,
  hintEntry,
  policyData,
  refusedEndEntry,
  reportedEndEntry,
  startEntry,
  type InspectLimits,
} from './entries.js';

/** What tool calls are decided with. */
export interface ToolCallParts {
  readonly policy: PolicyHolder;
  readonly lifecycle: RunLifecycle;
  readonly recorder: Recorder;
  readonly limits: InspectLimits;
  /** What is known of the tools. */
  readonly tools: ToolPins;
}

const CODES: Readonly<Record<Exclude<Decision['action'], 'ALLOW'>, ErrorCode>> = {
  BLOCK: 'policy_blocked',
  THROTTLE: 'policy_throttled',
  REJECT_WITH_HINT: 'policy_hinted',
  TERMINATE_RUN: 'run_terminated',
};

/**
 * Tool calls: decided here, executed by their shim, which reports the end. Start and decision become durable together,
 * and a shim hears ALLOW only afterwards. ARCHITECTURE.md, "The pipeline" and "The ledger".
 */
export class ToolCalls {
  readonly #parts: ToolCallParts;

  constructor(parts: ToolCallParts) {
    this.#parts = parts;
  }

  /** Stages 3 and 4 of a call in one decision. A refusal carries its three entries. */
  judge(call: PipelineCall): StageResult {
    const payload = payloadOf(call, 'tool.call.begin');
    const run = runOf(call);
    const unfit = this.#takeEnds(call, run, payload.ends ?? []);
    if (unfit !== undefined) return unfit;
    if (run.openCalls.size + run.startingCalls >= MAX_OPEN_CALLS) {
      return refuse('overloaded', `${MAX_OPEN_CALLS} calls of this run have not ended`);
    }
    const claim = run.callIds.claim(payload.call_id);
    if (claim === 'used')
      return refuse('invalid_request', 'the call id was used before, or is less than one that was');
    if (claim === 'full')
      return refuse('overloaded', 'the call ids of this run do not rise in few enough series');
    run.startingCalls += 1;
    call.atEnd(() => {
      run.startingCalls -= 1;
    });
    call.callSeq = run.nextCallSeq();
    const argsHash = argsHashOf(call, payload);
    const verdict = judgeCall(this.#parts.policy, run, payload, { now: call.now, again: false, argsHash });
    call.verdict = verdict;
    const { action } = verdict.effective;
    if (action === 'ALLOW') return 'pass';
    count(run, action);
    if (action === 'TERMINATE_RUN') this.#terminate(call, run, verdict.effective);
    return this.#refusal(call, payload, verdict, CODES[action]);
  }

  /** `tool.call.begin`, once it is allowed. */
  readonly begin: ActionHandler = {
    entries: (call) => {
      const payload = payloadOf(call, 'tool.call.begin');
      return this.#startAndDecision(call, payload, verdictOf(call));
    },
    execute: (call) => {
      const payload = payloadOf(call, 'tool.call.begin');
      const run = runOf(call);
      if (call.pendingSeq === undefined) throw new Error('a call was allowed without its entry');
      count(run, 'ALLOW');
      const open: OpenCall = {
        callId: payload.call_id,
        shimId: payload.shim_id,
        tool: [payload.server_name, payload.tool_name],
        argsHash: argsHashOf(call, payload),
        decisionSeq: call.pendingSeq,
        startedMs: call.now,
      };
      run.openCalls.set(open.callId, open);
      const verdict = verdictOf(call);
      const changed = verdict.snapshot !== this.#parts.policy.current.snapshot;
      return changed ? this.#decideAgain(call, payload, open) : success(answerOf(call, payload, verdict));
    },
  };

  /** `tool.call.end`: the shim's testimony, accepted once, for a call that was allowed. */
  readonly end: ActionHandler = {
    entries: (call) => {
      const payload = payloadOf(call, 'tool.call.end');
      const open = runOf(call).openCalls.get(payload.call_id);
      if (open === undefined) return noOpenCall();
      return [reportedEndEntry(call, open, payload, this.#parts.limits.maxPreviewBytes)];
    },
    execute: (call) => {
      const payload = payloadOf(call, 'tool.call.end');
      const run = runOf(call);
      close(run, payload);
      return success({});
    },
  };

  /**
   * Records the ends that a begin carries, whatever becomes of the call itself: they stand in front of its entries, in
   * the same commit. One that fits no open call refuses the request, and none of its ends is recorded.
   */
  #takeEnds(call: PipelineCall, run: Run, ends: readonly ToolCallEndPayload[]): Refusal | undefined {
    const found = new Map<OpenCall, ToolCallEndPayload>();
    for (const end of ends) {
      const open = run.openCalls.get(end.call_id);
      if (open === undefined || found.has(open)) return noOpenCall();
      found.set(open, end);
    }
    for (const [open, end] of found) void this.#recordEnd(call, run, open, end);
    return undefined;
  }

  async #recordEnd(call: PipelineCall, run: Run, open: OpenCall, end: ToolCallEndPayload): Promise<void> {
    try {
      const entry = reportedEndEntry(call, open, end, this.#parts.limits.maxPreviewBytes);
      const result = await this.#parts.recorder.append({ entries: [entry] });
      // A conflict: another report of the same call was first.
      if (result.ok) close(run, end);
    } catch (error) {
      // The recorder has told the log. The call stays open, and is closed with its run at the latest.
      if (!isSublError(error)) throw error;
    }
  }

  /**
   * Another policy was loaded while the decision was written: what it says now counts. A call that it refuses has an
   * ALLOW in the ledger and gets its end; one whose end cannot be written stays open and is closed with its run.
   */
  async #decideAgain(call: PipelineCall, payload: ToolCallBeginPayload, open: OpenCall): Promise<Outcome> {
    const run = runOf(call);
    const { argsHash } = open;
    const verdict = judgeCall(this.#parts.policy, run, payload, { now: call.now, again: true, argsHash });
    const { effective: decision, policy } = verdict;
    if (decision.action === 'ALLOW') return success(answerOf(call, payload, verdictOf(call)));
    if (decision.action === 'TERMINATE_RUN') this.#terminate(call, run, decision);
    const after = { seq: open.decisionSeq, policy };
    try {
      const end = refusedEndEntry(call, payload, open.argsHash, { decision, after });
      const result = await this.#parts.recorder.append({ entries: [end] });
      if (run.openCalls.delete(open.callId)) run.counters.errors_total += 1;
      if (result.ok) call.auditRef = auditRef(result.entries[0]);
    } catch (error) {
      // The recorder has told the log; the refusal does not depend on the entry.
      if (!isSublError(error)) throw error;
    }
    return refusalOf(call, payload, verdict, CODES[decision.action]);
  }

  #startAndDecision(call: PipelineCall, payload: ToolCallBeginPayload, verdict: Verdict): EntryInput[] {
    const argsHash = argsHashOf(call, payload);
    const { limits } = this.#parts;
    return [
      startEntry(call, payload, { argsHash, tags: verdict.tags, limits }),
      decisionEntry(call, payload, argsHash, verdict),
    ];
  }

  #refusal(call: PipelineCall, payload: ToolCallBeginPayload, verdict: Verdict, code: ErrorCode): Refusal {
    const { effective } = verdict;
    const { hint } = effective;
    const entries = [
      ...this.#startAndDecision(call, payload, verdict),
      ...(hint === undefined ? [] : [hintEntry(call, payload, hint)]),
      refusedEndEntry(call, payload, argsHashOf(call, payload), { decision: effective }),
    ];
    return { ...refusalOf(call, payload, verdict, code), entries };
  }

  /** Ends the run once this call, whose entries are the last of it, has been answered. */
  #terminate(call: PipelineCall, run: Run, decision: Decision): void {
    const message = decision.terminate?.terminate_message ?? decision.summary;
    call.atEnd(() =>
      this.#parts.lifecycle.endSoon(run, { status: 'TERMINATED', cause: 'terminated', message }),
    );
  }
}

/** What a shim hears of a call that may not be made. */
function refusalOf(
  call: PipelineCall,
  payload: ToolCallBeginPayload,
  verdict: Verdict,
  code: ErrorCode,
): Refusal {
  const { action, backoff_ms: retryAfter, summary } = verdict.effective;
  return {
    status: action === 'THROTTLE' ? 'rate_limited' : 'error',
    error: {
      code,
      message: summary,
      ...(retryAfter === undefined ? {} : { details: { retry_after_ms: retryAfter } }),
    },
    data: answerOf(call, payload, verdict),
  };
}

function answerOf(call: PipelineCall, payload: ToolCallBeginPayload, verdict: Verdict): JsonObject {
  return {
    args_hash: argsHashOf(call, payload),
    decision: decisionData(verdict.effective),
    policy: policyData(verdict.policy),
    seq: call.callSeq,
  };
}

/** Of the arguments that were judged; of the raw bytes where they were too large to be inspected. */
function argsHashOf(call: PipelineCall, payload: ToolCallBeginPayload): string {
  call.argsHash ??= payload.uninspected?.stream_hash ?? sha256Hex(call.read.argsCanonical ?? '{}');
  return call.argsHash;
}

function noOpenCall(): Refusal {
  return refuse('not_found', 'there is no open call with that id in this run');
}

function close(run: Run, end: ToolCallEndPayload): void {
  if (run.openCalls.delete(end.call_id) && end.status !== 'OK') run.counters.errors_total += 1;
}

function count(run: Run, action: Decision['action']): void {
  if (action === 'ALLOW') run.counters.calls_allowed += 1;
  else if (action === 'THROTTLE') run.counters.calls_throttled += 1;
  else run.counters.calls_blocked += 1;
}

function verdictOf(call: PipelineCall): Verdict {
  if (call.verdict === undefined) throw new Error('a call reached its entry without a decision');
  return call.verdict;
}

function runOf(call: PipelineCall): Run {
  const { run } = call.caller;
  if (run === undefined) throw new Error('a tool call without a run passed the capability check');
  return run;
}
