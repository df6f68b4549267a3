import { isSublError, type ActionName, type PayloadOf } from '@subluminal/core-types';
import type { AppendGroup, Ledger } from '@subluminal/ledger';
import type { Clock } from '../base/clock.js';
import { errorText, type Logger } from '../base/logger.js';
import type { RejectionBuckets } from '../pace/rejections.js';
import type { LateResults } from '../recording/late-results.js';
import { auditRef, type Recorder } from '../recording/recorder.js';
import { Call, type Frame, type Origin } from './call.js';
import { anomalyEntry, rejectedEntry, resultEntry } from './entries.js';
import { takeInner, type InnerRequest } from './inner.js';
import { recordedOutcome } from './recorded-outcome.js';
import { refuse, type Outcome, type Refusal, type Reply } from './reply.js';
import type { Gate, Stage, StageName, StageResult } from './stage.js';
import type { Action, Steps } from './steps.js';

/** Every action there is, and how each goes through the stages. */
export type ActionTable = { readonly [A in ActionName]: Action<PayloadOf<A>> };

export interface PipelineParts {
  /** Read and verify a frame, in this order. */
  readonly gates: readonly Gate[];
  readonly stages: readonly Stage[];
  readonly actions: ActionTable;
  readonly ledger: Pick<Ledger, 'seenOutcome'>;
  readonly recorder: Recorder;
  readonly late: Pick<LateResults, 'add'>;
  readonly rejections: RejectionBuckets;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Stages at which the request is known to be its caller's: from here on a refusal claims the request id. */
const CLAIMING: ReadonlySet<StageName> = new Set(['allowlist', 'rate-limit', 'anomaly']);

/** Takes requests that came as frames. A session holds this, and nothing else of the pipeline. */
export interface FrameDoor {
  /**
   * Decides one request. Frames of one session are handed over in the order of their arrival: everything up
   * to the signature stage happens before this function first returns.
   */
  run(origin: Origin, frame: Frame): Promise<Reply>;
}

/**
 * Takes requests of the gateway itself, which nobody has signed. Whoever holds it speaks for every run: the
 * composition root makes it, and hands out sessions of single runs.
 */
export interface InnerDoor {
  ask(origin: Origin, request: InnerRequest): Promise<Reply>;
}

/**
 * The one road of every request (ARCHITECTURE.md, "The pipeline"): the stages in their order, until one
 * refuses. Every refusal is recorded with its reason before it is answered. The two doors are all that leads
 * into it.
 */
export function openPipeline(parts: PipelineParts): {
  readonly frames: FrameDoor;
  readonly inner: InnerDoor;
} {
  const pipeline = new Pipeline(parts);
  return {
    frames: { run: (origin, frame) => pipeline.run(new Call(origin, frame), parts.gates) },
    inner: {
      ask: (origin, request) => {
        const gate: Gate = { name: 'schema', run: (call) => takeInner(call, request) };
        return pipeline.run(new Call(origin, undefined), [gate]);
      },
    },
  };
}

class Pipeline {
  readonly #parts: PipelineParts;
  readonly #restartAt: number;

  constructor(parts: PipelineParts) {
    this.#parts = parts;
    this.#restartAt = parts.stages.findIndex((stage) => stage.name === 'allowlist');
  }

  async run(call: Call, gates: readonly Gate[]): Promise<Reply> {
    try {
      for (const gate of gates) {
        const result = this.#tried(gate.name, () => gate.run(call));
        if (result !== 'pass') return await this.#refuse(call, gate.name, asRefusal(result), undefined);
      }
      const steps = beginAction(this.#parts.actions, call);
      return await this.#walk(call, steps);
    } finally {
      call.finish();
    }
  }

  async #walk(call: Call, steps: Steps): Promise<Reply> {
    const { stages } = this.#parts;
    for (let at = 0; at < stages.length; at += 1) {
      const stage = stages[at];
      if (stage === undefined) break;
      const given = this.#tried(stage.name, () => stage.run(call, steps));
      // Awaiting a plain value would cost every stage a turn of the event loop's queue.
      const result = given instanceof Promise ? await this.#triedLater(stage.name, given) : given;
      if (result === 'again') at = this.#restartAt - 1;
      else if (result !== 'pass') return await this.#refuse(call, result.stage ?? stage.name, result, steps);
    }
    if (call.outcome === undefined) throw new Error('a request passed the pipeline without an outcome');
    return replyTo(call, call.outcome);
  }

  #tried<T>(name: StageName, run: () => T): T | Refusal {
    try {
      return run();
    } catch (error) {
      return this.#broken(name, error);
    }
  }

  async #triedLater(name: StageName, given: Promise<StageResult>): Promise<StageResult> {
    try {
      return await given;
    } catch (error) {
      return this.#broken(name, error);
    }
  }

  /**
   * Such as a full disk below `gateway.db`. The reason is for the log: who asks learns whether something was
   * done.
   */
  #broken(stage: StageName, error: unknown): Refusal {
    this.#parts.log.error('a stage failed', { stage, error: errorText(error) });
    if (stage === 'execute' || stage === 'audit-result')
      return refuse('in_doubt', 'the gateway failed while the action was executed; its effect is not known');
    return refuse('failed', 'the gateway failed before the action was executed');
  }

  async #refuse(call: Call, stage: StageName, given: Refusal, steps: Steps | undefined): Promise<Reply> {
    const refusal = call.hops === 0 ? given : behindRedirects(given, call.hops);
    // At once, and not with the answer: what came right behind it is waiting already.
    if (refusal.close === true) call.origin.cut();
    const recorded = await this.#record(call, stage, refusal, steps);
    refusal.recorded?.(recorded.auditRef !== '');
    const { status, error, data, close = false } = recorded.refusal;
    const { requestId, requestMac } = call;
    const reply = { status, error, requestId, requestMac, auditRef: recorded.auditRef, close };
    return data === undefined ? reply : { ...reply, data };
  }

  async #record(
    call: Call,
    stage: StageName,
    refusal: Refusal,
    steps: Steps | undefined,
  ): Promise<{ readonly refusal: Refusal; readonly auditRef: string }> {
    const group = this.#groupFor(call, stage, refusal, steps);
    if (group === undefined) return { refusal, auditRef: '' };
    try {
      const result = await this.#parts.recorder.append(group);
      const isThere = group.entries.at(-1)?.type !== 'anomaly';
      if (result.ok) return { refusal, auditRef: isThere ? auditRef(result.entries.at(-1)) : '' };
      if (result.conflict === 'ref') return { refusal, auditRef: '' };
      return {
        refusal: recordedOutcome(this.#parts.ledger.seenOutcome(call.runId, call.requestId)),
        auditRef: '',
      };
    } catch (error) {
      if (!isSublError(error)) throw error;
      // Nothing was going to happen, so it stays a refusal; that it is not recorded is visible in its empty
      // reference.
      this.#parts.log.warn('a refusal was not recorded', {
        code: refusal.error.code,
        error: errorText(error),
      });
      const [entry] = group.entries;
      if (call.pendingSeq !== undefined && entry?.type === 'action_result') {
        // Nobody has it among what is open any more (see `#groupFor`).
        this.#parts.late.add(call.pendingSeq, entry, () => undefined);
      }
      return { refusal, auditRef: '' };
    }
  }

  #groupFor(
    call: Call,
    stage: StageName,
    refusal: Refusal,
    steps: Steps | undefined,
  ): AppendGroup | undefined {
    const now = this.#parts.clock();
    if (call.pendingSeq !== undefined && steps !== undefined && steps.result !== 'none') {
      // Decided anew and refused after its entry was written: the entry gets its result.
      if (stage === 'audit-result') return undefined;
      call.caller.run?.openPendings.delete(call.pendingSeq);
      return { entries: [resultEntry(call, refusal, call.pendingSeq, now)] };
    }
    const seen = { runId: call.runId, id: call.requestId };
    if (refusal.entries !== undefined) return { entries: refusal.entries, seen };
    const found = call.flags;
    const flags = found.map((flag) => anomalyEntry(call, flag));
    const said = flags.filter((_flag, index) => found[index]?.reaction === 'flag');
    const isTaken = this.#parts.rejections.take(call.caller.source);
    // What is unusual is bounded by itself, and is said once: no flood of refusals hides it.
    if (!isTaken && said.length === 0) return undefined;
    const entries = isTaken
      ? [...flags, rejectedEntry(call, { stage, refusal, about: steps?.about() ?? {}, ts: now })]
      : said;
    return CLAIMING.has(stage) && call.hops === 0 ? { entries, seen } : { entries };
  }
}

/** What is refused is where a service leads to; that it was asked, and answered, is not taken back by it. */
function behindRedirects({ error, ...refusal }: Refusal, redirects: number): Refusal {
  const message = `${error.message}; what was asked for was sent, and answered with a redirect to there`;
  return { ...refusal, error: { ...error, message, details: { ...error.details, redirects } } };
}

function replyTo(call: Call, { status, data, error }: Outcome): Reply {
  const { requestId, requestMac } = call;
  const bound = { requestId, requestMac, auditRef: call.auditRef, close: false };
  if (error === undefined) return data === undefined ? { ...bound, status } : { ...bound, status, data };
  return data === undefined ? { ...bound, status, error } : { ...bound, status, data, error };
}

/** The steps of a request that has passed the gates. */
function beginAction(actions: ActionTable, call: Call): Steps {
  const { action, payload } = call.read;
  // The schema of this very action has read the payload.
  const begin = actions[action] as Action<unknown>;
  return begin(call, payload);
}

function asRefusal(result: StageResult): Refusal {
  if (result === 'pass' || result === 'again') throw new Error('a gate neither passed nor refused');
  return result;
}
