import type { Socket } from 'node:net';
import type { ErrorCode, NetOutcome } from '@subluminal/core-types';
import type { Denial } from '../denial.js';
import { farewell } from './farewell.js';
import type { Feed } from './feed.js';
import { Pump } from './pump.js';
import type { TurnBytes } from './turn-bytes.js';

/** How a connection ended. */
export interface CarriageEnd {
  readonly outcome: NetOutcome;
  readonly code?: ErrorCode;
  readonly detail?: string;
}

/** A connection that flows, as whoever watches and records it sees it. */
export interface Carried {
  readonly bytesUp: number;
  readonly bytesDown: number;
  /** When something was carried last, on the clock that only goes forward. */
  readonly movedAt: number;
  /** Resolves when both sockets are closed. Never rejects. */
  readonly over: Promise<CarriageEnd>;
  /** Ends both sides at once; the first reason stands. */
  cut(end: CarriageEnd): void;
}

/** What passes, each way, and what is done where the client or the server says no more. */
export interface Traffic {
  readonly up: (chunk: Buffer) => Buffer | undefined;
  readonly down: (chunk: Buffer) => Buffer | undefined;
  /** Defaults: the other side is told. */
  readonly onClientEnd?: () => void;
  readonly onServerEnd?: () => void;
  /** What one of the above has thrown. */
  readonly onFault: (error: unknown) => void;
}

export interface CarriageParts {
  readonly client: Socket;
  readonly server: Socket;
  /** Where what the server says stands. */
  readonly feed: Feed;
  readonly share: TurnBytes;
  /** Counts bytes of the run. Throws `Denial` `budget_spent`. */
  readonly spend: (bytes: number) => number;
  readonly monotonic: () => number;
  readonly lingerMs: number;
}

/**
 * Two sockets and what flows between them, each way at its own pace. One side may end what it says and go on
 * to listen; one that breaks off breaks the other off.
 */
export class Carriage implements Carried {
  readonly #parts: CarriageParts;
  readonly #up: Pump;
  readonly #down: Pump;
  #bytesUp = 0;
  #bytesDown = 0;
  #movedAt: number;
  #end: CarriageEnd | undefined;
  #serverError: string | undefined;
  readonly #onServerError = (error: NodeJS.ErrnoException): void => {
    this.#serverError = error.code ?? 'failed';
  };
  #open = 2;
  #resolve: (end: CarriageEnd) => void = () => undefined;
  /** Resolves when both sockets are closed. Never rejects. */
  readonly over: Promise<CarriageEnd>;

  constructor(parts: CarriageParts, traffic: Traffic) {
    this.#parts = parts;
    const { client, server, feed, share, monotonic } = parts;
    this.#movedAt = monotonic();
    this.over = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    const { onFault } = traffic;
    this.#up = new Pump({
      from: client,
      to: server,
      share,
      pass: traffic.up,
      spend: (bytes) => this.#moved(bytes, 0),
      onEnd: traffic.onClientEnd ?? (() => void server.end()),
      onFault,
    });
    this.#down = new Pump({
      from: server,
      to: client,
      feed,
      share,
      pass: traffic.down,
      spend: (bytes) => this.#moved(0, bytes),
      onEnd: traffic.onServerEnd ?? (() => void client.end()),
      onFault,
    });
    server.on('error', this.#onServerError);
    this.#watch(client, server);
    this.#watch(server, client);
  }

  get bytesUp(): number {
    return this.#bytesUp;
  }

  get bytesDown(): number {
    return this.#bytesDown;
  }

  /** When something was carried last, on the clock that only goes forward. */
  get movedAt(): number {
    return this.#movedAt;
  }

  /** Begins to listen to the client, with what was read already. */
  startUp(first?: Buffer): void {
    this.#up.start(first);
  }

  /** Begins to listen to the server. */
  startDown(): void {
    this.#down.start();
  }

  /** Bytes that the proxy itself sends on, such as the head of a request. Throws as `spend` does. */
  send(bytes: Buffer): void {
    this.#moved(bytes.length, 0);
    this.#parts.server.write(bytes);
  }

  /** Ends both sides at once; the first reason stands. */
  cut(end: CarriageEnd): void {
    this.#conclude(end);
    this.#parts.server.destroy();
    this.#parts.client.destroy();
  }

  /** The server is left at once, the client when it has read `last`. */
  finish(end: CarriageEnd, last?: Buffer): void {
    this.#conclude(end);
    const { client, server, lingerMs } = this.#parts;
    server.destroy();
    farewell(client, last, lingerMs);
  }

  /** Ends it as a refusal says. */
  refuse(end: CarriageEnd, denial: Denial, last: Buffer | undefined): void {
    this.finish({ ...end, code: denial.code, detail: denial.message }, last);
  }

  #moved(up: number, down: number): number {
    const waitMs = this.#parts.spend(up + down);
    this.#bytesUp += up;
    this.#bytesDown += down;
    this.#movedAt = this.#parts.monotonic();
    return waitMs;
  }

  #conclude(end: CarriageEnd): void {
    this.#end ??= end;
    this.#up.stop();
    this.#down.stop();
  }

  #watch(side: Socket, other: Socket): void {
    if (side.closed) this.#closed(true, other);
    else side.once('close', (hadError) => this.#closed(hadError, other));
  }

  #closed(hadError: boolean, other: Socket): void {
    this.#open -= 1;
    if (hadError && !other.destroyed) {
      this.#up.stop();
      this.#down.stop();
      other.resetAndDestroy();
    }
    if (this.#open > 0) return;
    this.#up.stop();
    this.#down.stop();
    // Node keeps closed sockets for a while: this connection does not stay with them.
    this.#parts.server.off('error', this.#onServerError);
    this.#resolve(this.#end ?? this.#byItself());
  }

  #byItself(): CarriageEnd {
    if (this.#serverError === undefined) return { outcome: 'closed' };
    return {
      outcome: 'failed',
      code: 'adapter_failed',
      detail: `the server broke the connection off (${this.#serverError})`,
    };
  }
}
