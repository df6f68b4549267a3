import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { ENROL_TOKEN_PREFIX, encodeKey, isSublError, SublError } from '@subluminal/core-types';
import {
  errorText,
  type KeyRing,
  listenOnLoopback,
  LOOPBACK,
  type Logger,
  type RandomBytes,
  type RefusedPeers,
} from '@subluminal/gateway';
import { DoorSockets } from './door-sockets.js';
import { doorServer, noUpgrade } from './door-server.js';
import type { HttpDoorStore } from './door-store.js';
import type { HttpLimits } from '../limits.js';

/** What a door needs. */
export interface DoorParts {
  readonly store: HttpDoorStore;
  readonly keys: KeyRing;
  readonly random: RandomBytes;
  /** `[http] port`. */
  readonly configuredPort: number | undefined;
  readonly limits: HttpLimits;
  /** Counts who sends what is no request. */
  readonly refused: RefusedPeers;
  readonly log: Logger;
  /** Answers one request. */
  readonly handle: (request: IncomingMessage, response: ServerResponse, door: OpenDoor) => void;
}

/** A door that is open. */
export interface OpenDoor {
  readonly port: number;
  /** By which a client without a token of its own run is let in. */
  readonly enrolToken: string;
}

/** Whether it is open, and why not. */
export interface DoorState {
  readonly listening: boolean;
  /** The port that it has, or would have. */
  readonly port: number | null;
  readonly problem: string | null;
}

/**
 * Where clients reach MCP servers over HTTP: 127.0.0.1 and nothing else, once the operator asked for it. Port
 * and enrol token stay the same over restarts, since they stand in the configuration of clients.
 */
export class HttpDoor {
  readonly #parts: DoorParts;
  readonly #sockets: DoorSockets;
  #server: Server | undefined;
  #open: OpenDoor | undefined;
  #problem: string | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(parts: DoorParts) {
    this.#parts = parts;
    this.#sockets = new DoorSockets(parts.limits.maxConnections);
  }

  /** The port that it listens on. */
  get port(): number | undefined {
    return this.#open?.port;
  }

  get state(): DoorState {
    return {
      listening: this.#open !== undefined,
      port: this.#open?.port ?? this.#parts.configuredPort ?? this.#parts.store.read()?.port ?? null,
      problem: this.#problem ?? null,
    };
  }

  /** Opens it as it was before the restart. A port that somebody else has keeps no gateway from starting. */
  async resume(): Promise<void> {
    if (this.#parts.store.read()?.isOpen !== true) return;
    try {
      await this.listen();
    } catch (error) {
      if (!isSublError(error)) throw error;
      this.#parts.log.error('the door for HTTP stays closed', { error: errorText(error) });
    }
  }

  /** Opens it where it is not open. @throws SublError `failed` where the port is taken. */
  listen(): Promise<OpenDoor> {
    return this.#inTurn(() => this.#listen());
  }

  /** Closes it, and drops what is under way. The next gateway does not open it. */
  close(): Promise<void> {
    return this.#inTurn(async () => {
      const kept = this.#parts.store.read();
      if (kept !== undefined) this.#parts.store.write({ ...kept, isOpen: false });
      this.#problem = undefined;
      await this.#shut();
    });
  }

  /** Closes it because the gateway stops. */
  stop(): Promise<void> {
    return this.#inTurn(() => this.#shut());
  }

  async #listen(): Promise<OpenDoor> {
    if (this.#open !== undefined) return this.#open;
    const { store, configuredPort, keys, random } = this.#parts;
    const kept = store.read();
    const nonce = kept?.nonce ?? Buffer.from(random(16)).toString('base64url');
    const server = this.#create();
    const wanted = configuredPort ?? kept?.port ?? 0;
    let port: number;
    try {
      port = await listenOnLoopback(server, wanted);
    } catch (cause) {
      this.#problem = `cannot listen on ${LOOPBACK}:${wanted}: ${errorText(cause)}`;
      throw new SublError('failed', this.#problem, {
        cause,
        help: 'end what listens there, or choose another port with `[http] port` in config.toml',
      });
    }
    this.#problem = undefined;
    server.on('error', (error) =>
      this.#parts.log.warn('the door for HTTP failed', { error: errorText(error) }),
    );
    try {
      store.write({ port, nonce, isOpen: true });
    } catch (error) {
      server.close();
      throw error;
    }
    this.#server = server;
    this.#open = { port, enrolToken: ENROL_TOKEN_PREFIX + encodeKey(keys.deriveOwn('http-enrol', nonce)) };
    return this.#open;
  }

  #create(): Server {
    const { limits, refused, handle } = this.#parts;
    return doorServer(
      { from: 'loopback', limits, refused, sockets: this.#sockets, upgrade: noUpgrade },
      (request, response) => {
        const open = this.#open;
        if (open === undefined) response.destroy();
        else handle(request, response, open);
      },
    );
  }

  async #shut(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    this.#open = undefined;
    if (server === undefined) return;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    this.#sockets.destroy();
    await closed;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }
}
