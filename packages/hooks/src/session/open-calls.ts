import type { Source } from '../dialect/told.js';

/** A call that was let through, and whose end the client has not told. */
export interface OpenCall {
  /** The gateway's id of it. */
  readonly callId: string;
  readonly source: Source;
  /** The hash of the arguments that it was let through with. */
  readonly inputHash: string;
  readonly startedAt: number;
}

/** Of more calls than this the one that began first is given up. */
const MAX_OPEN = 512;

/** The open calls of a client, by its own ids of them. */
export class OpenCalls {
  readonly #calls = new Map<string, OpenCall>();

  /** Gives back a call that has to be ended now: one with the same id, or the oldest of too many. */
  add(id: string, call: OpenCall): readonly OpenCall[] {
    const replaced = this.take(call.source, id);
    this.#calls.set(keyOf(call.source, id), call);
    const [oldest] = this.#calls;
    if (this.#calls.size <= MAX_OPEN || oldest === undefined) return replaced === undefined ? [] : [replaced];
    this.#calls.delete(oldest[0]);
    return [...(replaced === undefined ? [] : [replaced]), oldest[1]];
  }

  take(source: Source, id: string): OpenCall | undefined {
    const key = keyOf(source, id);
    const call = this.#calls.get(key);
    this.#calls.delete(key);
    return call;
  }

  takeEvery(): readonly OpenCall[] {
    const all = [...this.#calls.values()];
    this.#calls.clear();
    return all;
  }

  /** The calls of one agent's turn, or of a whole session. */
  takeAll(of: Source, what: 'session' | 'turn'): readonly OpenCall[] {
    const found: OpenCall[] = [];
    for (const [key, call] of this.#calls) {
      const { session, agentId } = call.source;
      if (session !== of.session || (what === 'turn' && agentId !== of.agentId)) continue;
      this.#calls.delete(key);
      found.push(call);
    }
    return found;
  }
}

/** Ids of calls are unique in a session. */
function keyOf({ session }: Source, id: string): string {
  return JSON.stringify([session ?? null, id]);
}
