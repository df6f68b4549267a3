import { Agent, type AgentOptions } from 'node:http';
import type { Duplex } from 'node:stream';

type Done = (error: Error | null, stream: Duplex) => void;

/**
 * Makes all requests over one connection that is there already, one after the other; when it is over none is
 * made any more.
 */
export class OneConnection extends Agent {
  readonly #connection: Duplex;
  #isTaken = false;

  constructor(connection: Duplex) {
    const options: AgentOptions = { keepAlive: true, maxSockets: 1, maxFreeSockets: 1 };
    super(options);
    this.#connection = connection;
  }

  override createConnection(_options: unknown, done?: Done): Duplex | undefined {
    if (!this.#isTaken) {
      this.#isTaken = true;
      return this.#connection;
    }
    process.nextTick(() => done?.(new Error('the connection to the server is over'), this.#connection));
    return undefined;
  }

  override keepSocketAlive(): boolean {
    return true;
  }

  override reuseSocket(): void {
    // It is watched by whoever has made it.
  }
}
