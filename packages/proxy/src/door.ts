import { createServer, type Server, type Socket } from 'node:net';
import { errorText, listenOnLoopback, LOOPBACK, type Logger } from '@subluminal/gateway';
import type { ProxyPortStore } from './port-store.js';

export interface ProxyDoorParts {
  readonly store: ProxyPortStore;
  /** `[egress] proxy_port`. */
  readonly configuredPort: number | undefined;
  readonly log: Logger;
  readonly handle: (client: Socket) => void;
}

/** Whether the proxy can be reached, and why not. */
export interface ProxyDoorState {
  readonly listening: boolean;
  readonly port: number | null;
  readonly problem: string | null;
}

/**
 * Where programs reach the proxy: a port of 127.0.0.1, the same one over restarts, since it stands in the
 * environment of programs that live longer than a gateway.
 */
export class ProxyDoor {
  readonly #parts: ProxyDoorParts;
  #server: Server | undefined;
  #port: number | undefined;
  #problem: string | undefined;

  constructor(parts: ProxyDoorParts) {
    this.#parts = parts;
  }

  /** The port that it listens on. */
  get port(): number | undefined {
    return this.#port;
  }

  get state(): ProxyDoorState {
    const { configuredPort, store } = this.#parts;
    return {
      listening: this.#port !== undefined,
      port: this.#port ?? configuredPort ?? store.read() ?? null,
      problem: this.#problem ?? null,
    };
  }

  /** Opens it. A port that somebody else has keeps no gateway from starting. */
  async open(): Promise<void> {
    const { store, configuredPort, handle, log } = this.#parts;
    const wanted = configuredPort ?? store.read() ?? 0;
    // Paused until somebody reads it, and able to listen when the other side has said all.
    const server = createServer({ allowHalfOpen: true, pauseOnConnect: true, noDelay: true }, handle);
    try {
      this.#port = await listenOnLoopback(server, wanted);
    } catch (error) {
      this.#problem = `cannot listen on ${LOOPBACK}:${wanted}: ${errorText(error)}`;
      log.warn('there is no proxy', { problem: this.#problem });
      return;
    }
    this.#server = server;
    server.on('error', (error) => log.warn('the proxy failed', { error: errorText(error) }));
    if (configuredPort === undefined) store.write(this.#port);
  }

  /** Takes no more connections. */
  close(): void {
    this.#server?.close();
    this.#server = undefined;
    this.#port = undefined;
  }
}
