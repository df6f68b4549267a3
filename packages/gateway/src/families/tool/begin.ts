import { sha256Hex, type Decision, type ToolCallBeginPayload } from '@subluminal/core-types';
import type { EntryInput } from '@subluminal/ledger';
import type { ToolReads } from '../../anomaly/port.js';
import type { Call } from '../../pipeline/call.js';
import { terminated } from '../../pipeline/enter-run.js';
import { refuse, success, type Outcome, type Refusal } from '../../pipeline/reply.js';
import type { ActionOf, Passed, RecordedSteps } from '../../pipeline/steps.js';
import type { Question } from '../../approvals/question.js';
import type { Questions } from '../../approvals/port.js';
import { questionEntry } from './question-entry.js';
import { isInForce, type JudgeParts, type OwnReadings, type Verdict } from '../../runs/judge.js';
import type { Recorder } from '../../recording/recorder.js';
import type { RunLifecycle } from '../../runs/lifecycle.js';
import { MAX_OPEN_CALLS, type OpenCall, type Run } from '../../runs/run.js';
import type { ToolAction } from '../../runs/unfinished.js';
import type { Projects } from '../../projects/port.js';
import { type CallObjects, readObjects } from '../../objects/call-objects.js';
import { REACHES_NOTHING } from '../reaches-nothing.js';
import { allowanceOf, refusalOf } from './answers.js';
import { judgeAsking, type Asked } from './asking.js';
import { decideAgain } from './decide-again.js';
import { takeEnds } from './end.js';
import { refusedEndEntry } from './end-entries.js';
import { decisionEntry, hintEntries, startEntry, tripEntries, type Inspection } from './entries.js';
import { rememberMessage } from './remember-message.js';

export interface ToolCallParts extends JudgeParts {
  readonly lifecycle: RunLifecycle;
  readonly recorder: Recorder;
  readonly projects: Pick<Projects, 'follow' | 'of'>;
  readonly inspection: () => Inspection;
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
  #asked: Asked | undefined;

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
    const run = this.#run;
    const payload = this.#payload;
    // A message that is refused came by, too.
    if (payload.via === undefined) rememberMessage(run, payload);
    const refusal =
      takeEnds(this.#parts, this.#call, payload.ends ?? []) ?? this.#notNow() ?? this.#claimId();
    if (refusal !== undefined) return refusal;
    run.startingCalls += 1;
    this.#call.atEnd(() => {
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

  /** The refusal of a call that no rule is asked about. */
  #notNow(): Refusal | undefined {
    const run = this.#run;
    const { server_name: server, tool_name: tool } = this.#payload;
    if (run.behind !== undefined) {
      run.behind.isAwaited = true;
      return refuse('overloaded', 'what the run did without a gateway is still being counted');
    }
    if (run.limits.isTerminated) return terminated();
    // Names stand in every entry of a call, as they are.
    const { holdsSecret } = this.#parts;
    if (holdsSecret(run.id, server) || holdsSecret(run.id, tool))
      return refuse('secret_refused', 'the name of the tool or of its server holds a secret of this run');
    if (run.openCalls.size + run.startingCalls >= MAX_OPEN_CALLS)
      return refuse('overloaded', `${MAX_OPEN_CALLS} calls of this run have not ended`);
    return undefined;
  }

  #claimId(): Refusal | undefined {
    switch (this.#run.callIds.claim(this.#payload.call_id)) {
      case 'claimed':
        return undefined;
      case 'used':
        return refuse('invalid_request', 'the call id was used before, or is less than one that was');
      case 'full':
        return refuse('overloaded', 'the call ids of this run do not rise in few enough series');
    }
  }

  #read(): Passed | Refusal | Promise<Passed | Refusal> {
    const read = readObjects(this.#parts, this.#run, this.#payload);
    return read instanceof Promise ? read.then((readings) => this.#judge(readings)) : this.#judge(read);
  }

  #judge(readings: OwnReadings): Passed | Refusal {
    const call = this.#call;
    const run = this.#run;
    // Also a call that was decided while the files of this one were looked up may have ended it.
    if (run.limits.isTerminated) return terminated();
    const payload = this.#payload;
    const action = this.#action;
    const continues =
      payload.continues === undefined || payload.uninspected !== undefined
        ? undefined
        : run.unfinished.take(payload.continues, action, call.now);
    const { argsHash } = action;
    const facts = { now: call.now, argsHash, continues, readings };
    this.#asked = judgeAsking(this.#parts, run, payload, facts);
    const { verdict, question } = this.#asked;
    if (verdict.charge.length > 0) call.atEnd(() => run.limits.recorded(payload.call_id));
    const { action: answer } = verdict.effective;
    if (answer === 'ALLOW') return 'pass';
    const isLater = answer === 'THROTTLE' || verdict.asks !== undefined;
    if (isLater && continues !== undefined) run.unfinished.putBack(continues, action, call.now);
    count(run, answer);
    if (answer === 'TERMINATE_RUN') this.#terminate(verdict.effective);
    return this.#refusal(verdict, question);
  }

  get #decided(): Asked {
    if (this.#asked === undefined) throw new Error('a call reached its entry without a decision');
    return this.#asked;
  }

  record(): EntryInput[] {
    return this.#startAndDecision(this.#decided.verdict);
  }

  execute(): Outcome | Promise<Outcome> {
    const call = this.#call;
    const run = this.#run;
    const payload = this.#payload;
    const { verdict, agreed } = this.#decided;
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
    return decideAgain(this.#parts, { call, payload, run, open, seq, verdict, agreed, terminate });
  }

  #startAndDecision(verdict: Verdict): EntryInput[] {
    const payload = this.#payload;
    const { argsHash } = this.#action;
    const inspection = this.#parts.inspection();
    const timeoutMs = this.#parts.timeoutOf(payload.server_name);
    return [
      startEntry(this.#call, payload, { argsHash, seq: this.#seq, verdict, inspection, timeoutMs }),
      ...tripEntries(this.#call, payload, verdict.trips),
      decisionEntry(this.#call, payload, argsHash, verdict),
    ];
  }

  /** `question`: put to a person with the entries of the call. */
  #refusal(verdict: Verdict, question: Question | undefined): Refusal {
    const { effective: decision } = verdict;
    const { argsHash } = this.#action;
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

function count(run: Run, action: Decision['action']): void {
  if (action === 'ALLOW') run.counters.calls_allowed += 1;
  else if (action === 'THROTTLE') run.counters.calls_throttled += 1;
  else run.counters.calls_blocked += 1;
}
