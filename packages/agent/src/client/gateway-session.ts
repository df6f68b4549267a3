import { type ActionResponse, isSublError, SublError } from '@subluminal/core-types';
import type { GatewayClient, RequestOptions } from '@subluminal/ipc';

const FIRST_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 5000;
const PROBE_MS = 1000;
/** How often a gateway is looked for while something is to be reported. */
const FIRST_LOOK_MS = 100;
const MAX_LOOK_MS = 1000;

/** A part that has to tell a gateway something, and hears of the next one. */
export interface SessionWatcher {
  /** There is another connection; what is asked now comes before everything that waited for it. */
  connected(): void;
  /** The run has ended: there will be none. */
  over(reason: SublError): void;
}

export interface GatewaySessionOptions {
  /** Opens a connection with the run's key; `mayStart` where a gateway may be started for it. */
  readonly connect: (mayStart: boolean) => Promise<GatewayClient>;
  /** Asked on every new connection before anything else is; a connection on which it fails is none. */
  readonly introduce: (client: GatewayClient) => Promise<void>;
  /** Milliseconds of a clock that only goes forward. */
  readonly monotonic: () => number;
}

/**
 * The run's connection to the gateway, opened again after it was lost. A request is never sent twice here:
 * whether the first one took effect is not known. Between attempts requests fail at once, so a missing
 * gateway costs no waiting. A `SessionWatcher`, which has something to report meanwhile, hears of the next
 * connection.
 */
export class GatewaySession {
  /** Resolves when the gateway no longer takes the run's key: the run has ended. Never rejects. */
  readonly over: Promise<SublError>;
  readonly #options: GatewaySessionOptions;
  #client: GatewayClient | undefined;
  #attempt: Promise<GatewayClient> | undefined;
  #attemptStarts = false;
  #backoffMs = FIRST_BACKOFF_MS;
  #notBefore = 0;
  #last: SublError | undefined;
  #fatal: SublError | undefined;
  #closed = false;
  #probing: Promise<void> | undefined;
  #resolveOver: (reason: SublError) => void = () => undefined;
  readonly #watchers = new Set<SessionWatcher>();
  #lookTimer: NodeJS.Timeout | undefined;
  #lookMs = FIRST_LOOK_MS;

  constructor(options: GatewaySessionOptions) {
    this.#options = options;
    this.over = new Promise((resolve) => {
      this.#resolveOver = resolve;
    });
  }

  /**
   * Sends a request on the connection, or on a new one; `mayStart` where it is worth starting a gateway for.
   * Errors of `GatewayClient.request`; `handshake_refused` is final: the run has ended, and no other run
   * takes its place.
   */
  request(
    action: string,
    payload: unknown,
    mayStart: boolean,
    options?: RequestOptions,
  ): Promise<ActionResponse> {
    const client = this.#client;
    if (client !== undefined) return this.#send(client, action, payload, options);
    return this.#connected(mayStart).then((connected) => this.#send(connected, action, payload, options));
  }

  #send(
    client: GatewayClient,
    action: string,
    payload: unknown,
    options: RequestOptions | undefined,
  ): Promise<ActionResponse> {
    return client.request(action, payload, options).catch((error: unknown) => this.#failed(client, error));
  }

  async #failed(client: GatewayClient, error: unknown): Promise<never> {
    if (isSublError(error, 'handshake_refused')) this.#end(error);
    if (isSublError(error, 'gateway_unreachable')) {
      if (this.#client === client) this.#client = undefined;
      // An ended run's connection is closed as well: the difference decides what the caller is told.
      await this.#probe();
    }
    throw this.#fatal ?? error;
  }

  /** Gives up a connection on which nothing is answered: the next request opens another one. */
  drop(): void {
    const client = this.#client;
    this.#client = undefined;
    client?.close();
  }

  /** Looks for a gateway, and starts none. Never rejects. */
  async #retry(): Promise<void> {
    if (this.#client !== undefined || this.#fatal !== undefined || this.#closed) return;
    try {
      await this.#connected(false);
    } catch (error) {
      if (!isSublError(error)) throw error;
    }
  }

  get isConnected(): boolean {
    return this.#client !== undefined;
  }

  /** Tells of the next connections, and looks for a gateway until there is one; starts none. */
  watch(watcher: SessionWatcher): void {
    this.#watchers.add(watcher);
    if (this.#client === undefined) this.lookNow();
  }

  unwatch(watcher: SessionWatcher): void {
    this.#watchers.delete(watcher);
    if (this.#watchers.size === 0) this.#lookLater();
  }

  /** Looks for a gateway at once, and often again at first, where somebody has to tell it something. */
  lookNow(): void {
    this.#lookMs = FIRST_LOOK_MS;
    this.#look();
  }

  #look(): void {
    clearTimeout(this.#lookTimer);
    this.#lookTimer = undefined;
    if (this.#fatal !== undefined) for (const watcher of this.#watchers) watcher.over(this.#fatal);
    if (this.#watchers.size > 0) void this.#retry().then(() => this.#lookLater());
  }

  #lookLater(): void {
    clearTimeout(this.#lookTimer);
    this.#lookTimer = undefined;
    const isDone = this.#client !== undefined || this.#fatal !== undefined || this.#closed;
    if (isDone || this.#watchers.size === 0) return;
    this.#lookTimer = setTimeout(() => this.#look(), this.#lookMs).unref();
    this.#lookMs = Math.min(this.#lookMs * 2, MAX_LOOK_MS);
  }

  /** Ends the connection for good. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#lookTimer);
    this.#client?.close();
    this.#client = undefined;
  }

  #end(reason: SublError): void {
    this.#fatal ??= reason;
    this.#resolveOver(this.#fatal);
    for (const watcher of this.#watchers) watcher.over(this.#fatal);
  }

  /** After a connection was lost: does the run still exist? A gateway is never started for that question. */
  #probe(): Promise<void> {
    this.#probing ??= this.#ask().finally(() => {
      this.#probing = undefined;
    });
    return this.#probing;
  }

  async #ask(): Promise<void> {
    if (this.#fatal !== undefined || this.#closed) return;
    try {
      const client = this.#client ?? (await this.#connected(false));
      await client.request('run.read', {}, { timeoutMs: PROBE_MS });
    } catch (error) {
      if (!isSublError(error)) throw error;
      if (error.code === 'handshake_refused') this.#end(error);
    }
  }

  #connected(mayStart: boolean): Promise<GatewayClient> {
    if (this.#fatal !== undefined) return Promise.reject(this.#fatal);
    if (this.#closed) return Promise.reject(new SublError('gateway_unreachable', 'the session is over'));
    if (this.#attempt !== undefined) {
      if (this.#attemptStarts || !mayStart) return this.#attempt;
      return this.#attempt.catch(() => this.#connected(true));
    }
    if (this.#last !== undefined && this.#options.monotonic() < this.#notBefore) {
      return Promise.reject(this.#last);
    }
    this.#attemptStarts = mayStart;
    this.#attempt = this.#connect(mayStart);
    return this.#attempt;
  }

  async #connect(mayStart: boolean): Promise<GatewayClient> {
    try {
      const client = await this.#introduced(await this.#options.connect(mayStart));
      if (this.#closed) client.close();
      this.#client = client;
      this.#backoffMs = FIRST_BACKOFF_MS;
      this.#lookMs = FIRST_LOOK_MS;
      this.#last = undefined;
      void client.closed.then((reason) => {
        if (this.#client === client) this.#client = undefined;
        if (reason.code === 'handshake_refused') this.#end(reason);
        else void this.#probe().then(() => this.#lookLater());
      });
      for (const watcher of this.#watchers) watcher.connected();
      return client;
    } catch (error) {
      if (isSublError(error, 'handshake_refused')) this.#end(error);
      // A call may still start a gateway that the question alone did not find.
      if (!mayStart || !isSublError(error)) throw error;
      this.#last = error;
      this.#notBefore = this.#options.monotonic() + this.#backoffMs;
      this.#backoffMs = Math.min(this.#backoffMs * 2, MAX_BACKOFF_MS);
      throw error;
    } finally {
      this.#attempt = undefined;
    }
  }

  async #introduced(client: GatewayClient): Promise<GatewayClient> {
    try {
      await this.#options.introduce(client);
      return client;
    } catch (error) {
      client.close();
      throw error;
    }
  }
}
