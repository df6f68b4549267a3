import type { Call } from '@subluminal/gateway';

/** Service actions of one caller at once. Their answers together fit the queue of one connection. */
const PLACES = 4;

interface Caller {
  held: number;
  readonly waiting: Set<() => void>;
}

/**
 * Carries out the service actions of one caller a few at a time, since each may hold an answer of megabytes;
 * the others wait in their order. The requests that a caller may have under way limit how many wait.
 */
export class ServicePlaces {
  readonly #callers = new Map<string, Caller>();

  /**
   * Resolves when the call has its place, or its run has ended. The call gives its place back when it leaves
   * the pipeline.
   */
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
