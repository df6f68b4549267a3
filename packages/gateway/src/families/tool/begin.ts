import {
  isSublError,
  sha256Hex,
  type Decision,
  type ToolCallBeginPayload,
  type ToolCallEndPayload,
} from '@subluminal/core-types';
import type { EntryInput } from '@subluminal/ledger';
import type { ToolReads } from '../../anomaly/port.js';
import type { Call } from '../../pipeline/call.js';
import { refuse, success, type Outcome, type Refusal } from '../../pipeline/reply.js';
import type { ActionOf, Passed, RecordedSteps } from '../../pipeline/steps.js';
import type { Question } from '../../approvals/question.js';
import type { Questions } from '../../approvals/port.js';
import { questionEntry } from './question-entry.js';
import { isInForce, type JudgeParts, type Verdict } from '../../runs/judge.js';
import type { Recorder } from '../../recording/recorder.js';
import type { RunLifecycle } from '../../runs/lifecycle.js';
import { MAX_OPEN_CALLS, type OpenCall, type Run } from '../../runs/run.js';
import type { ToolAction } from '../../runs/unfinished.js';
import type { Projects } from '../../projects/port.js';
import type { OwnReadings } from '../../objects/own-readings.js';
import { type CallObjects, readObjects } from '../../objects/call-objects.js';
import { REACHES_NOTHING } from '../reaches-nothing.js';
import { allowanceOf, refusalOf } from './answers.js';
import { judgeAsking } from './asking.js';
import { decideAgain } from './decide-again.js';
import { closeCall, noOpenCall, settleCall } from './end.js';
import {
  decisionEntry,
  hintEntries,
  refusedEndEntry,
  reportedEndEntry,
  startEntry,
  tripEntries,
  type InspectLimits,
} from './entries.js';

export interface ToolCallParts extends JudgeParts {
  readonly lifecycle: RunLifecycle;
  readonly recorder: Recorder;
  readonly projects: Pick<Projects, 'follow' | 'of'>;
  readonly limits: () => InspectLimits;
  readonly objects: CallObjects;
  /** Called with each call that is allowed. */
  readonly reads: ToolReads;
  /** Tells whether a text holds a secret of the run's servers. */
  readonly holdsSecret: (runId: string, text: string) => boolean;
  /** How long a call of that server may take, in ms; undefined: as long as it takes. */
  readonly timeoutOf: (server: string) => number | undefined;
  readonly questions: Questions;
}

/**
 * `tool.call.begin`: decided here, executed by its shim, which reports the end. Start and decision become
 * durable together, and a shim hears ALLOW only afterwards. ARCHITECTURE.md, "The pipeline" and "The ledger".
 */
export function toolCallBegin(parts: ToolCallParts): ActionOf<'tool.call.begin'> {
  return (call, payload) => new ToolCall(parts, call, payload);
}

/** One call of a tool on its way through the stages. */
class ToolCall implements RecordedSteps {
  readonly whenStopped = 'refused';
  readonly whenFull = 'refused';
  readonly result = 'none';
  readonly admit = REACHES_NOTHING.admit;
  readonly unusual = REACHES_NOTHING.unusual;
  readonly recorded = REACHES_NOTHING.recorded;
  readonly concluded = REACHES_NOTHING.concluded;
  readonly place = REACHES_NOTHING.place;
  readonly about = REACHES_NOTHING.about;
  readonly #parts: ToolCallParts;
  readonly #call: Call;
  readonly #payload: ToolCallBeginPayload;
  readonly #run: Run;
  readonly #action: ToolAction;
  /** Its number in the run, from 1. */
  #seq = 0;
  #verdict: Verdict | undefined;
  /** A person is asked about it with its entries. */
  #question: Question | undefined;
  /** The questions whose yes let it pass. */
  #agreed: readonly Question[] = [];

  constructor(parts: ToolCallParts, call: Call, payload: ToolCallBeginPayload) {
    this.#parts = parts;
    this.#call = call;
    this.#payload = payload;
    this.#run = call.run;
    const { shim_id: shimId, server_name: server, tool_name: tool, uninspected } = payload;
    // Of the arguments that were judged; of the raw bytes where they were too large to be inspected.
    const argsHash = uninspected?.stream_hash ?? sha256Hex(call.read.argsCanonical ?? '{}');
    this.#action = { shimId, tool: [server, tool], argsHash };
  }

  /** Stages 3 and 4 in one decision. A refusal carries its entries. */
  decide(): Passed | Refusal | Promise<Passed | Refusal> {
    const call = this.#call;
    const run = this.#run;
    const payload = this.#payload;
    // A message that is refused came by, too.
    if (payload.via === undefined) rememberMessage(run, payload);
    const unfit = this.#takeEnds(payload.ends ?? []);
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
    this.#seq = run.nextCallSeq();
    const followed = this.#parts.projects.follow(run, payload.cwd);
    if (followed === 'entered') return this.#read();
    return followed.then((answer) =>
      answer === 'entered'
        ? this.#read()
        : refuse('overloaded', 'the folder of the call could not be looked up in time; try again'),
    );
  }

  #read(): Passed | Refusal | Promise<Passed | Refusal> {
    const run = this.#run;
    const read = readObjects(this.#parts, run, this.#payload);
    const judged = (readings: OwnReadings): Passed | Refusal =>
      run.limits.isTerminated ? refuse('run_terminated', 'a rule has ended the run') : this.#judge(readings);
    return read instanceof Promise ? read.then(judged) : judged(read);
  }

  readonly record = (): EntryInput[] => this.#startAndDecision(this.#judged);

  execute(): Outcome | Promise<Outcome> {
    const call = this.#call;
    const run = this.#run;
    const payload = this.#payload;
    const verdict = this.#judged;
    if (call.pendingSeq === undefined) throw new Error('a call was allowed without its entry');
    count(run, 'ALLOW');
    const open: OpenCall = {
      callId: payload.call_id,
      ...this.#action,
      decisionSeq: call.pendingSeq,
      startedMs: call.now,
      charge: verdict.charge,
      isSettled: false,
      continues: verdict.continues,
    };
    run.openCalls.set(open.callId, open);
    this.#parts.reads(run, payload, verdict.raised, call.auditRef);
    const seq = this.#seq;
    if (isInForce(this.#parts, run, verdict))
      return success(allowanceOf(open.argsHash, seq, verdict, this.#parts.timeoutOf(payload.server_name)));
    const terminate = (decision: Decision): void => this.#terminate(decision);
    const agreed = this.#agreed;
    return decideAgain(this.#parts, { call, payload, run, open, seq, verdict, agreed, terminate });
  }

  #judge(readings: OwnReadings): Passed | Refusal {
    const call = this.#call;
    const run = this.#run;
    const payload = this.#payload;
    const action = this.#action;
    const continues =
      payload.continues === undefined || payload.uninspected !== undefined
        ? undefined
        : run.unfinished.take(payload.continues, action, call.now);
    const { argsHash } = action;
    const { verdict, question, agreed } = judgeAsking(this.#parts, run, payload, {
      now: call.now,
      argsHash,
      continues,
      readings,
    });
    this.#verdict = verdict;
    this.#question = question;
    this.#agreed = agreed;
    if (verdict.charge.length > 0) call.atEnd(() => run.limits.recorded(payload.call_id));
    const { action: answer } = verdict.effective;
    if (answer === 'ALLOW') return 'pass';
    const isLater = answer === 'THROTTLE' || verdict.asks !== undefined;
    if (isLater && continues !== undefined) run.unfinished.putBack(continues, action, call.now);
    count(run, answer);
    if (answer === 'TERMINATE_RUN') this.#terminate(verdict.effective);
    return this.#refusal(verdict);
  }

  get #judged(): Verdict {
    if (this.#verdict === undefined) throw new Error('a call reached its entry without a decision');
    return this.#verdict;
  }

  /**
   * Records the ends that a begin carries, whatever becomes of the call itself: they stand in front of its
   * entries, in the same commit. One that fits no open call refuses the request, and none of its ends is
   * recorded.
   */
  #takeEnds(ends: readonly ToolCallEndPayload[]): Refusal | undefined {
    const found = new Map<OpenCall, ToolCallEndPayload>();
    for (const end of ends) {
      const open = this.#run.openCalls.get(end.call_id);
      if (open === undefined || found.has(open)) return noOpenCall();
      found.set(open, end);
    }
    for (const [open, end] of found) {
      // At once: the call that carries it is decided by it.
      settleCall(this.#run, open, end, this.#call.now);
      void this.#recordEnd(open, end);
    }
    return undefined;
  }

  async #recordEnd(open: OpenCall, end: ToolCallEndPayload): Promise<void> {
    try {
      const entry = reportedEndEntry(this.#call, open, end, this.#parts.limits());
      const result = await this.#parts.recorder.append({ entries: [entry] });
      // A conflict: another report of the same call was first.
      if (result.ok) closeCall(this.#run, end);
    } catch (error) {
      // The recorder has told the log. The call stays open, and is closed with its run at the latest.
      if (!isSublError(error)) throw error;
    }
  }

  #startAndDecision(verdict: Verdict): EntryInput[] {
    const payload = this.#payload;
    const { argsHash } = this.#action;
    const limits = this.#parts.limits();
    const timeoutMs = this.#parts.timeoutOf(payload.server_name);
    return [
      startEntry(this.#call, payload, { argsHash, seq: this.#seq, verdict, limits, timeoutMs }),
      ...tripEntries(this.#call, payload, verdict.trips),
      decisionEntry(this.#call, payload, argsHash, verdict),
    ];
  }

  #refusal(verdict: Verdict): Refusal {
    const { effective: decision } = verdict;
    const { argsHash } = this.#action;
    const question = this.#question;
    const entries = [
      ...this.#startAndDecision(verdict),
      ...(verdict.asks === undefined ? hintEntries(this.#call, this.#payload, argsHash, verdict) : []),
      ...(question === undefined ? [] : [questionEntry(question, this.#payload.call_id, this.#call.now)]),
      refusedEndEntry(this.#call, this.#payload, argsHash, { decision }),
    ];
    const refusal = { ...refusalOf(argsHash, this.#seq, verdict), entries };
    if (question === undefined) return refusal;
    const { questions } = this.#parts;
    return {
      ...refusal,
      recorded: (isDurable) => (isDurable ? questions.asked(question) : questions.drop(question)),
    };
  }

  /**
   * Decides no call of the run any more, and ends it once this one, whose entries are the last of it, has
   * been answered.
   */
  #terminate({ terminate, summary }: Decision): void {
    const run = this.#run;
    const message = terminate?.terminate_message ?? summary;
    run.limits.terminate();
    this.#call.atEnd(() =>
      this.#parts.lifecycle.endSoon(run, {
        status: 'TERMINATED',
        cause: 'terminated',
        message,
        terminateCode: terminate?.terminate_code,
      }),
    );
  }
}

/** A hook that tells of this call later on is known to tell of a message that passed here. */
function rememberMessage(run: Run, { server_name: server, context }: ToolCallBeginPayload): void {
  run.routed.add(server);
  for (const key of ID_KEYS) {
    const id = context?.[key];
    if (typeof id === 'string') run.seenIds.add(id);
  }
}

/** Where Claude Code and Codex put their own id of a call into its message. */
const ID_KEYS = ['claudecode/toolUseId', 'callId'] as const;

function count(run: Run, action: Decision['action']): void {
  if (action === 'ALLOW') run.counters.calls_allowed += 1;
  else if (action === 'THROTTLE') run.counters.calls_throttled += 1;
  else run.counters.calls_blocked += 1;
}
