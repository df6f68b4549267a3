import { type ActionName, type JsonObject, type PayloadOf, SublError } from '@subluminal/core-types';
import { createRequestIds } from '@subluminal/ipc';
import type { Clock, RandomBytes } from '../base/clock.js';
import type { Caller } from '../pipeline/caller.js';
import type { InnerDoor } from '../pipeline/pipeline.js';
import type { Reply } from '../pipeline/reply.js';
import type { RunSession } from '../runs/run.js';
import { Admission, type AdmissionParts } from './admission.js';
import type { Answers } from './inner-answers.js';

export interface InnerSessionParts extends Omit<AdmissionParts, 'operator'> {
  /** The run, as if it had shaken hands. */
  readonly caller: Caller;
  readonly door: InnerDoor;
  readonly clock: Clock;
  readonly random: RandomBytes;
  /** The run is over, or `close` was called: nothing is taken any more. */
  readonly onEnd: () => void;
}

/** The caller that the gateway asks as: itself for a run, a run, a client that opens one, or the page. */
export type InnerAsker =
  | { readonly kind: 'gateway' | 'run'; readonly runId: string }
  | { readonly kind: 'enrol' }
  | { readonly kind: 'ui'; readonly session: string };

/**
 * The answer to a request of the gateway itself, as its action gives it: nothing has carried it elsewhere.
 */
export type InnerReply<T> =
  | (Omit<Reply, 'data' | 'status' | 'error'> & {
      readonly status: 'success';
      readonly data: T;
      readonly error?: undefined;
    })
  | (Reply & { readonly status: Exclude<Reply['status'], 'success'> });

interface Asked {
  readonly go: () => void;
  readonly giveUp: (error: SublError) => void;
}

/**
 * The session in which the gateway asks for a run, for somebody who has shown that run's token to the
 * gateway. A request in it takes every stage from the third on, at the run's pace and in its places. There is
 * no signature, no socket and no frame on the way from a process to itself. The open connections of the asker
 * bound the requests that wait.
 */
export class InnerSession implements RunSession {
  readonly #parts: InnerSessionParts;
  readonly #nextId: () => string;
  readonly #waiting: Asked[] = [];
  readonly #admission: Admission;
  #isPumping = false;
  #isOver = false;

  constructor(parts: InnerSessionParts) {
    this.#parts = parts;
    this.#admission = new Admission({ ...parts, operator: false }, () => this.#pump());
    this.#nextId = createRequestIds(parts.random);
  }

  /**
   * Asks for an action of the gateway's own. Gives the answer; throws `run_ended` if nothing is taken any
   * more.
   */
  request<A extends keyof Answers>(
    action: A,
    payload: PayloadOf<A> & JsonObject,
  ): Promise<InnerReply<Answers[A]>> {
    // The action's own steps made the answer, in this process.
    return this.ask(action, payload) as Promise<InnerReply<Answers[A]>>;
  }

  /** Asks for any action that the caller may ask for. Throws `run_ended` if nothing is taken any more. */
  ask(action: ActionName, payload: JsonObject): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const go = (): void => {
        this.#admission.enter(1);
        this.#ask(action, payload)
          .finally(() => this.#admission.leave())
          .then(resolve, reject);
      };
      this.#waiting.push({ go, giveUp: reject });
      if (this.#isOver) this.#giveUp();
      else this.#pump();
    });
  }

  /** What a client would be told; who holds this asks `onEnd`. */
  push(_event: JsonObject): void {}

  /** Takes nothing more; what waits is given up. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#admission.forget();
    this.#giveUp();
    this.#parts.onEnd();
  }

  #ask(action: ActionName, payload: JsonObject): Promise<Reply> {
    const { caller, door, clock } = this.#parts;
    const origin = { caller, now: clock(), cut: () => this.end() };
    return door.ask(origin, { id: this.#nextId(), action, payload });
  }

  /** Lets go what waits, in its order, as far as there are places and the run has time. */
  #pump(): void {
    if (this.#isPumping) return;
    this.#isPumping = true;
    while (this.#waiting.length > 0 && this.#admission.mayGo) this.#waiting.shift()?.go();
    this.#isPumping = false;
    if (this.#waiting.length > 0) this.#admission.wait();
  }

  #giveUp(): void {
    for (const { giveUp } of this.#waiting.splice(0)) giveUp(new SublError('run_ended', 'the run has ended'));
  }
}
