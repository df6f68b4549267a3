import { type ActionName, nextTurn, type PayloadOf } from '@subluminal/core-types';
import { errorText } from '../base/logger.js';
import { Call, type Frame, type Origin } from './call.js';
import { takeInner, type InnerRequest } from './inner.js';
import { Refusals, type RefusalsParts } from './refusals.js';
import { refuse, type Outcome, type Refusal, type Reply } from './reply.js';
import type { Gate, Gated, Stage, StageName, StageResult } from './stage.js';
import type { Action, Steps } from './steps.js';

/** Every action there is, and how each goes through the stages. */
export type ActionTable = { readonly [A in ActionName]: Action<PayloadOf<A>> };

export interface PipelineParts extends RefusalsParts {
  /** Read and verify a frame, in this order. */
  readonly gates: readonly Gate[];
  readonly stages: readonly Stage[];
  readonly actions: ActionTable;
}

/** Takes requests that came as frames. A session holds this, and nothing else of the pipeline. */
export interface FrameDoor {
  /**
   * Decides one request. Frames of one session are handed over in the order of their arrival: everything up
   * to the signature stage happens before this function first returns, unless its stream says that it is
   * `reading`. A large frame (`LARGE_FRAME`) goes on at the beginning of the next turn of the event loop.
   * The next one is handed over after both.
   */
  run(origin: Origin, frame: Frame): Promise<Reply>;
}

/**
 * Takes requests of the gateway itself, which nobody has signed. Its holder speaks for every run: the
 * composition root makes it, and hands out sessions of single runs.
 */
export interface InnerDoor {
  ask(origin: Origin, request: InnerRequest): Promise<Reply>;
}

/**
 * The one road of every request (ARCHITECTURE.md, "The pipeline"): the stages in their order, until one
 * refuses. The two doors are all that leads into it.
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
  readonly #refusals: Refusals;
  readonly #restartAt: number;

  constructor(parts: PipelineParts) {
    this.#parts = parts;
    this.#refusals = new Refusals(parts);
    this.#restartAt = parts.stages.findIndex((stage) => stage.name === 'allowlist');
  }

  async run(call: Call, gates: readonly Gate[]): Promise<Reply> {
    try {
      for (const gate of gates) {
        const given = this.#passGate(gate, call);
        const result = given instanceof Promise ? await given : given;
        if (result !== 'pass') return await this.#refusals.answer(call, gate.name, result, undefined);
      }
      if (call.isLarge) await nextTurn();
      const steps = beginAction(this.#parts.actions, call);
      return await this.#walk(call, steps);
    } finally {
      call.finish();
    }
  }

  #passGate(gate: Gate, call: Call): Gated {
    const broken = (error: unknown): Refusal => this.#broken(gate.name, error);
    try {
      const given = gate.run(call);
      return given instanceof Promise ? given.catch(broken) : given;
    } catch (error) {
      return broken(error);
    }
  }

  async #walk(call: Call, steps: Steps): Promise<Reply> {
    const { stages } = this.#parts;
    for (let at = 0; at < stages.length; at += 1) {
      const stage = stages[at];
      if (stage === undefined) break;
      let result: StageResult;
      try {
        const given = stage.run(call, steps);
        // Awaiting a plain value would cost every stage a turn of the event loop's queue.
        result = given instanceof Promise ? await given : given;
      } catch (error) {
        result = this.#broken(stage.name, error);
      }
      if (result === 'again') at = this.#restartAt - 1;
      else if (result !== 'pass')
        return await this.#refusals.answer(call, result.stage ?? stage.name, result, steps);
    }
    if (call.outcome === undefined) throw new Error('a request passed the pipeline without an outcome');
    return replyTo(call, call.outcome);
  }

  /**
   * The refusal for an error that is no `SublError`, such as a full disk below `gateway.db`. The log gets the
   * reason; the caller learns whether something was done.
   */
  #broken(stage: StageName, error: unknown): Refusal {
    this.#parts.log.error('a stage failed', { stage, error: errorText(error) });
    if (stage === 'execute' || stage === 'audit-result')
      return refuse('in_doubt', 'the gateway failed while the action was executed; its effect is not known');
    return refuse('failed', 'the gateway failed before the action was executed');
  }
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
