import type { Call } from '../../pipeline/call.js';

/** Service actions of one caller that are carried out at once. With their answers they fit what may wait for one connection. */
const PLACES = 4;

interface Caller {
  held: number;
  readonly waiting: Set<() => void>;
}

/**
 * The service actions of one caller are carried out a few at a time, and the others wait, in their order: each may hold an answer
 * of megabytes. How many can wait is limited by what a caller may have under way.
 */
export class ServicePlaces {
  readonly #callers = new Map<string, Caller>();

  /** Resolves when the call has its place, or its run has ended. It gives the place back when it leaves the pipeline. */
  take(call: Call): 'pass' | Promise<'pass'> {
    const { source } = call.caller;
    const caller = this.#callers.get(source) ?? { held: 0, waiting: new Set() };
    this.#callers.set(source, caller);
    if (caller.held >= PLACES) return this.#wait(call, caller);
    caller.held += 1;
    return this.#placed(call, caller);
  }

  async #wait(call: Call, caller: Caller): Promise<'pass'> {
    const { signal } = call;
    const isGiven = await new Promise<boolean>((resolve) => {
      const given = (): void => {
        signal.removeEventListener('abort', ended);
        resolve(true);
      };
      const ended = (): void => {
        caller.waiting.delete(given);
        resolve(false);
      };
      caller.waiting.add(given);
      signal.addEventListener('abort', ended, { once: true });
      if (signal.aborted) ended();
    });
    return isGiven ? this.#placed(call, caller) : 'pass';
  }

  #placed(call: Call, caller: Caller): 'pass' {
    call.atEnd(() => this.#release(call.caller.source, caller));
    return 'pass';
  }

  #release(source: string, caller: Caller): void {
    for (const next of caller.waiting) {
      caller.waiting.delete(next);
      next();
      return;
    }
    caller.held -= 1;
    if (caller.held === 0) this.#callers.delete(source);
  }
}
