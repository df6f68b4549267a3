import type { RunShare } from '../pace/share.js';
import type { Turns } from '../pace/turns.js';
import type { SharedRoom } from './shared-room.js';

export interface AdmissionParts {
  /** Requests that are worked on, of the whole gateway and of its run, whatever they come over. */
  readonly places: readonly SharedRoom[];
  /** The time that all runs share; the operator does not wait for it. */
  readonly turns: Turns;
  /** Its run waits for this while calmer ones are about; the operator has none. */
  readonly pace: RunShare | undefined;
  readonly operator: boolean;
}

/**
 * Lets the requests of one session go, in its places, at its run's pace, and in the time of a turn. `resume`
 * is called when a request that waits may go.
 */
export class Admission {
  readonly #parts: AdmissionParts;
  readonly #resume: () => void;

  constructor(parts: AdmissionParts, resume: () => void) {
    this.#parts = parts;
    this.#resume = resume;
  }

  get mayGo(): boolean {
    const { turns, operator } = this.#parts;
    return this.fullPlace === undefined && this.#isInPace && (operator || turns.hasTime());
  }

  get fullPlace(): SharedRoom | undefined {
    const { places, operator } = this.#parts;
    return places.find((place) => place.isFull(operator));
  }

  get #isInPace(): boolean {
    return this.#parts.pace?.mayGo ?? true;
  }

  /** A request of so many characters goes. */
  enter(characters: number): void {
    for (const place of this.#parts.places) place.add(1);
    this.#parts.pace?.count(characters);
  }

  /** A request has been answered. */
  leave(): void {
    for (const place of this.#parts.places) place.add(-1);
  }

  /** Waits for the first thing that a request lacks. */
  wait(): void {
    const { turns, pace } = this.#parts;
    const full = this.fullPlace;
    if (full !== undefined) full.wait(this.#resume);
    else if (this.#isInPace) turns.wait(this.#resume);
    else pace?.wait(this.#resume);
  }

  /** The session is over. */
  forget(): void {
    const { places, turns, pace } = this.#parts;
    for (const place of places) place.forget(this.#resume);
    turns.forget(this.#resume);
    pace?.leave(this.#resume);
  }
}
