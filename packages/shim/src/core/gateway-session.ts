import { type ActionResponse, isSublError, SublError } from '@subluminal/core-types';
import type { GatewayClient, RequestOptions } from '@subluminal/ipc';

const FIRST_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 5000;

export interface GatewaySessionOptions {
  /** Opens a connection with the run's key, starting a gateway where that is wanted. */
  readonly connect: () => Promise<GatewayClient>;
  /** Milliseconds of a clock that only goes forward. */
  readonly monotonic: () => number;
}

/**
 * The run's connection to the gateway, opened again after it was lost. A request is never sent twice: whether the first
 * one took effect is not known. Between attempts requests fail at once, so a missing gateway costs no waiting.
 */
export class GatewaySession {
  readonly #options: GatewaySessionOptions;
  #client: GatewayClient | undefined;
  #attempt: Promise<GatewayClient> | undefined;
  #backoffMs = FIRST_BACKOFF_MS;
  #notBefore = 0;
  #last: SublError | undefined;
  #fatal: SublError | undefined;
  #closed = false;

  constructor(options: GatewaySessionOptions) {
    this.#options = options;
  }

  /**
   * Sends a request on the connection, or on a new one. Errors of `GatewayClient.request`; `handshake_refused` is
   * final: the run has ended, and no other run takes its place.
   */
  async request(action: string, payload: unknown, options?: RequestOptions): Promise<ActionResponse> {
    const client = this.#client ?? (await this.#connected());
    try {
      return await client.request(action, payload, options);
    } catch (error) {
      if (isSublError(error, 'handshake_refused')) this.#fatal = error;
      throw error;
    }
  }

  /** Ends the connection for good. */
  close(): void {
    this.#closed = true;
    this.#client?.close();
    this.#client = undefined;
  }

  #connected(): Promise<GatewayClient> {
    if (this.#fatal !== undefined) return Promise.reject(this.#fatal);
    if (this.#closed) return Promise.reject(new SublError('gateway_unreachable', 'the session is over'));
    if (this.#attempt !== undefined) return this.#attempt;
    if (this.#last !== undefined && this.#options.monotonic() < this.#notBefore) {
      return Promise.reject(this.#last);
    }
    this.#attempt = this.#connect();
    return this.#attempt;
  }

  async #connect(): Promise<GatewayClient> {
    try {
      const client = await this.#options.connect();
      if (this.#closed) client.close();
      this.#client = client;
      this.#backoffMs = FIRST_BACKOFF_MS;
      this.#last = undefined;
      void client.closed.then(() => {
        if (this.#client === client) this.#client = undefined;
      });
      return client;
    } catch (error) {
      if (isSublError(error, 'handshake_refused')) this.#fatal = error;
      else if (isSublError(error)) this.#last = error;
      this.#notBefore = this.#options.monotonic() + this.#backoffMs;
      this.#backoffMs = Math.min(this.#backoffMs * 2, MAX_BACKOFF_MS);
      throw error;
    } finally {
      this.#attempt = undefined;
    }
  }
}
