import { SublError } from '@subluminal/core-types';
import type { Run } from './run.js';

/** How many runs live at once. The last part is kept for runs that the operator opens. */
export interface RunPlaces {
  readonly max: number;
  readonly operatorReserve: number;
}

const PLACES: RunPlaces = { max: 2048, operatorReserve: 256 };

/** The runs that live. A run that is not in here does not exist for anyone who holds its key. */
export class RunRegistry {
  readonly #runs = new Map<string, Run>();
  /** Runs whose beginning is being recorded. */
  #beginning = 0;
  readonly #places: RunPlaces;

  constructor(places: RunPlaces = PLACES) {
    this.#places = places;
  }

  get size(): number {
    return this.#runs.size;
  }

  /**
   * Keeps a place for a run until it is added; the result gives the place up, once.
   *
   * @throws SublError `overloaded` when too many runs live.
   */
  reserve(attested: boolean): () => void {
    const { max, operatorReserve } = this.#places;
    if (this.#runs.size + this.#beginning < (attested ? max : max - operatorReserve)) {
      let isKept = true;
      this.#beginning += 1;
      return () => {
        if (isKept) this.#beginning -= 1;
        isKept = false;
      };
    }
    throw new SublError('overloaded', `${this.#runs.size} runs are live, and no more are taken`, {
      help: 'end some of them first',
    });
  }

  add(run: Run): void {
    this.#runs.set(run.id, run);
  }

  remove(run: Run): void {
    this.#runs.delete(run.id);
  }

  /** The run with that id, unless it is ending or has ended. */
  live(id: string): Run | undefined {
    const run = this.#runs.get(id);
    return run?.state === 'live' ? run : undefined;
  }

  /** There is a run with that id that has not ended; it may be ending. */
  has(id: string): boolean {
    return this.#runs.has(id);
  }

  /** Every run that has not ended, oldest first. */
  all(): Run[] {
    return [...this.#runs.values()];
  }
}
