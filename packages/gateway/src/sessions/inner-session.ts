import { type ActionName, type JsonObject, requestMac, SessionKey, SublError } from '@subluminal/core-types';
import { createRequestIds } from '@subluminal/ipc';
import type { Clock, RandomBytes } from '../base/clock.js';
import type { Caller } from '../pipeline/caller.js';
import type { Pipeline } from '../pipeline/pipeline.js';
import { payloadText } from '../pipeline/quick-frame.js';
import type { Reply } from '../pipeline/reply.js';
import type { RunSession } from '../runs/run.js';
import type { ByteBudget } from './budget.js';
import type { RunPace } from './run-pace.js';
import type { Turns } from '../pace/turns.js';

const KEY_BYTES = 32;

export interface InnerSessionParts {
  /** The run, as if it had shaken hands. */
  readonly caller: Caller;
  readonly pipeline: Pick<Pipeline, 'run'>;
  readonly clock: Clock;
  readonly random: RandomBytes;
  /** Requests that are worked on, of all and of the run, whatever they come over. */
  readonly places: readonly ByteBudget[];
  readonly turns: Turns;
  readonly pace: RunPace;
  /** The run is over, or `close` was called: nothing is taken any more. */
  readonly onEnd: () => void;
}

interface Asked {
  readonly go: () => void;
  readonly giveUp: (error: SublError) => void;
}

/**
 * The session in which the gateway alone may ask on behalf of a run, for somebody who has shown that run's
 * token to the gateway. A request in it is asked as every other: signed, in its place, through every stage,
 * at the run's pace and in its places. It leaves out the way from a process to itself: no socket, no frame,
 * no text. The open connections of the asker, a proxy, bound the requests that wait.
 */
export class InnerSession implements RunSession {
  readonly #parts: InnerSessionParts;
  readonly #key: SessionKey;
  readonly #nextId: () => string;
  readonly #waiting: Asked[] = [];
  readonly #resumeLater = (): void => this.#pump();
  #sent = 0;
  #isPumping = false;
  #isOver = false;
  #stamped = { ms: Number.NaN, text: '' };

  constructor(parts: InnerSessionParts) {
    this.#parts = parts;
    this.#key = new SessionKey(parts.random(KEY_BYTES));
    this.#nextId = createRequestIds(parts.random);
  }

  /** Asks for an action. Gives the answer, whatever its status; throws `run_ended` where nothing is taken any more. */
  request(action: ActionName, payload: JsonObject): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const go = (): void => {
        this.#occupy(1);
        this.#ask(action, payload)
          .finally(() => this.#occupy(-1))
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
    this.#forget();
    this.#giveUp();
    this.#parts.onEnd();
  }

  async #ask(action: ActionName, payload: JsonObject): Promise<Reply> {
    const { caller, pipeline, clock } = this.#parts;
    const { source } = caller;
    const now = clock();
    const written = payloadText(payload);
    const [id, timestamp] = [this.#nextId(), this.#timestamp(now)];
    const seq = (this.#sent += 1);
    const fields = { seq, id, timestamp, action, payloadCanonical: written.text };
    const signature = requestMac(this.#key, fields);
    return await pipeline.run({
      caller,
      verifyKey: this.#key,
      seq,
      frame: { value: { id, timestamp, action, payload, source, signature }, payload: written },
      now,
      cut: () => this.end(),
    });
  }

  /** Lets go what waits, in its order, as far as there are places and the run has time. */
  #pump(): void {
    if (this.#isPumping) return;
    this.#isPumping = true;
    while (this.#waiting.length > 0 && this.#mayGo) {
      this.#parts.pace.count(1);
      this.#waiting.shift()?.go();
    }
    this.#isPumping = false;
    if (this.#waiting.length === 0) return;
    const { places, pace, turns } = this.#parts;
    const full = places.find((place) => place.isFull(false));
    if (full !== undefined) full.wait(this.#resumeLater);
    else if (pace.mayGo) turns.wait(this.#resumeLater);
    else pace.wait(this.#resumeLater);
  }

  get #mayGo(): boolean {
    const { places, pace, turns } = this.#parts;
    return places.every((place) => !place.isFull(false)) && pace.mayGo && turns.hasTime();
  }

  #occupy(count: number): void {
    for (const place of this.#parts.places) place.add(count);
  }

  #giveUp(): void {
    for (const { giveUp } of this.#waiting.splice(0)) giveUp(new SublError('run_ended', 'the run has ended'));
  }

  #forget(): void {
    const { places, pace, turns } = this.#parts;
    for (const place of places) place.forget(this.#resumeLater);
    turns.forget(this.#resumeLater);
    pace.leave(this.#resumeLater);
  }

  #timestamp(now: number): string {
    if (now !== this.#stamped.ms) this.#stamped = { ms: now, text: new Date(now).toISOString() };
    return this.#stamped.text;
  }
}
