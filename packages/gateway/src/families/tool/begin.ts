import {
  isSublError,
  sha256Hex,
  type Decision,
  type ToolCallBeginPayload,
  type ToolCallEndPayload,
} from '@subluminal/core-types';
import type { EntryInput } from '@subluminal/ledger';
import type { ActionHandler } from '../../pipeline/handlers.js';
import type { PipelineCall } from '../../pipeline/call.js';
import { payloadOf } from '../../pipeline/payload.js';
import { refuse, success, type Refusal } from '../../pipeline/reply.js';
import type { StageResult } from '../../pipeline/stage.js';
import { judgeCall, type JudgeParts, type Verdict } from '../../policy/judge.js';
import type { Recorder } from '../../recording/recorder.js';
import type { RunLifecycle } from '../../runs/lifecycle.js';
import { MAX_OPEN_CALLS, type OpenCall, type Run } from '../../runs/run.js';
import { allowanceOf, refusalOf } from './answers.js';
import { decideAgain } from './decide-again.js';
import type { ToolReads } from '../../anomaly/tool-reads.js';
import type { Action } from '../../runs/unfinished.js';
import {
  decisionEntry,
  hintEntries,
  refusedEndEntry,
  reportedEndEntry,
  startEntry,
  tripEntries,
  type InspectLimits,
} from './entries.js';

/** What tool calls are decided with. */
export interface ToolCallParts extends JudgeParts {
  readonly lifecycle: RunLifecycle;
  readonly recorder: Recorder;
  readonly limits: () => InspectLimits;
  /** Told of each call that is allowed. */
  readonly reads: ToolReads;
  /** Tells whether a text holds a secret of the run's servers. */
  readonly holdsSecret: (runId: string, text: string) => boolean;
  /** How long a call of that server may take, in ms; undefined: as long as it takes. */
  readonly timeoutOf: (server: string) => number | undefined;
}

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
    if (run.behind !== undefined) {
      run.behind.isAwaited = true;
      return refuse('overloaded', 'what the run did without a gateway is still being counted');
    }
    if (run.limits.isTerminated) return refuse('run_terminated', 'a rule has ended the run');
    // Names stand in every entry of a call, as they are.
    if ([payload.server_name, payload.tool_name].some((name) => this.#parts.holdsSecret(run.id, name)))
      return refuse('secret_refused', 'the name of the tool or of its server holds a secret of this run');
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
    const action = actionOf(call, payload);
    const continues =
      payload.continues === undefined || payload.uninspected !== undefined
        ? undefined
        : run.unfinished.take(payload.continues, action, call.now);
    const { argsHash } = action;
    const verdict = judgeCall(this.#parts, run, payload, { now: call.now, argsHash, continues });
    call.verdict = verdict;
    if (verdict.charge.length > 0) call.atEnd(() => run.limits.recorded(payload.call_id));
    const { action: answer } = verdict.effective;
    if (answer === 'ALLOW') return 'pass';
    if (answer === 'THROTTLE' && continues !== undefined) run.unfinished.putBack(continues, action, call.now);
    count(run, answer);
    if (answer === 'TERMINATE_RUN') this.#terminate(call, run, verdict.effective);
    return this.#refusal(call, payload, verdict);
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
        ...actionOf(call, payload),
        decisionSeq: call.pendingSeq,
        startedMs: call.now,
        charge: verdictOf(call).charge,
        isSettled: false,
        continues: verdictOf(call).continues,
      };
      run.openCalls.set(open.callId, open);
      const verdict = verdictOf(call);
      this.#parts.reads(run, payload, verdict.raised, call.auditRef);
      if (verdict.snapshot === this.#parts.policy.current.snapshot)
        return success(allowanceOf(call, open, verdict, this.#parts.timeoutOf(payload.server_name)));
      const terminate = (decision: Decision): void => this.#terminate(call, run, decision);
      return decideAgain(this.#parts, { call, payload, run, open, verdict, terminate });
    },
  };

  /** `tool.call.end`: the shim's testimony, accepted once, for a call that was allowed. */
  readonly end: ActionHandler = {
    entries: (call) => {
      const payload = payloadOf(call, 'tool.call.end');
      const run = runOf(call);
      const open = run.openCalls.get(payload.call_id);
      if (open === undefined) return noOpenCall();
      settle(run, open, payload, call.now);
      return [reportedEndEntry(call, open, payload, this.#parts.limits())];
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
    for (const [open, end] of found) {
      // At once: the call that carries it is decided by it.
      settle(run, open, end, call.now);
      void this.#recordEnd(call, run, open, end);
    }
    return undefined;
  }

  async #recordEnd(call: PipelineCall, run: Run, open: OpenCall, end: ToolCallEndPayload): Promise<void> {
    try {
      const entry = reportedEndEntry(call, open, end, this.#parts.limits());
      const result = await this.#parts.recorder.append({ entries: [entry] });
      // A conflict: another report of the same call was first.
      if (result.ok) close(run, end);
    } catch (error) {
      // The recorder has told the log. The call stays open, and is closed with its run at the latest.
      if (!isSublError(error)) throw error;
    }
  }

  #startAndDecision(call: PipelineCall, payload: ToolCallBeginPayload, verdict: Verdict): EntryInput[] {
    const argsHash = argsHashOf(call, payload);
    const limits = this.#parts.limits();
    const timeoutMs = this.#parts.timeoutOf(payload.server_name);
    return [
      startEntry(call, payload, { argsHash, verdict, limits, timeoutMs }),
      ...tripEntries(call, payload, verdict.trips),
      decisionEntry(call, payload, argsHash, verdict),
    ];
  }

  #refusal(call: PipelineCall, payload: ToolCallBeginPayload, verdict: Verdict): Refusal {
    const { effective } = verdict;
    const argsHash = argsHashOf(call, payload);
    const entries = [
      ...this.#startAndDecision(call, payload, verdict),
      ...hintEntries(call, payload, argsHash, verdict),
      refusedEndEntry(call, payload, argsHash, { decision: effective }),
    ];
    return { ...refusalOf(call, argsHash, verdict), entries };
  }

  /** Decides no call of the run any more, and ends it once this one, whose entries are the last of it, has been answered. */
  #terminate(call: PipelineCall, run: Run, decision: Decision): void {
    const message = decision.terminate?.terminate_message ?? decision.summary;
    run.limits.terminate();
    call.atEnd(() =>
      this.#parts.lifecycle.endSoon(run, {
        status: 'TERMINATED',
        cause: 'terminated',
        message,
        terminateCode: decision.terminate?.terminate_code,
      }),
    );
  }
}

/** Of the arguments that were judged; of the raw bytes where they were too large to be inspected. */
function argsHashOf(call: PipelineCall, payload: ToolCallBeginPayload): string {
  call.argsHash ??= payload.uninspected?.stream_hash ?? sha256Hex(call.read.argsCanonical ?? '{}');
  return call.argsHash;
}

/** What is asked for, as another half of it would ask for it. */
function actionOf(call: PipelineCall, payload: ToolCallBeginPayload): Action {
  const { shim_id: shimId, server_name: server, tool_name: tool } = payload;
  return { shimId, tool: [server, tool], argsHash: argsHashOf(call, payload) };
}

/** Counts the end of a call, and that its server asks for input where it does. */
function settle(run: Run, open: OpenCall, end: ToolCallEndPayload, now: number): void {
  run.limits.settle(open, end, now);
  if (end.asks_input === true && end.status === 'OK') run.unfinished.add(open, now);
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
