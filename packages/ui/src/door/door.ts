import type { Server } from 'node:http';
import { SublError } from '@subluminal/core-types';
import { errorText, listenOnLoopback, LOOPBACK, type Logger } from '@subluminal/gateway';

/** A server that listens nowhere yet, and what drops all of its connections. */
export interface DoorServer {
  readonly server: Server;
  readonly destroy: () => void;
}

export interface UiDoorParts {
  /** `[ui] port`, else the one that belongs to this ledger. */
  readonly port: () => number;
  readonly create: () => DoorServer;
  readonly log: Logger;
}

/** The door of the page: 127.0.0.1 and nothing else, open from `sub ui` on. */
export class UiDoor {
  readonly #parts: UiDoorParts;
  #open: (DoorServer & { readonly port: number }) | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(parts: UiDoorParts) {
    this.#parts = parts;
  }

  /** The port that it listens on; undefined while it is shut. */
  get port(): number | undefined {
    return this.#open?.port;
  }

  /** Opens it unless it is open, and gives its port. @throws SublError `failed` if the port is taken. */
  listen(): Promise<number> {
    return this.#inTurn(async () => {
      if (this.#open !== undefined) return this.#open.port;
      const made = this.#parts.create();
      const wanted = this.#parts.port();
      let port: number;
      try {
        port = await listenOnLoopback(made.server, wanted);
      } catch (cause) {
        throw new SublError('failed', `cannot listen on ${LOOPBACK}:${wanted}: ${errorText(cause)}`, {
          cause,
          help: 'end what listens there, or choose another port with `[ui] port` in config.toml',
        });
      }
      made.server.on('error', (error) =>
        this.#parts.log.warn('the door of the page failed', { error: errorText(error) }),
      );
      this.#open = { ...made, port };
      return port;
    });
  }

  /** Closes it, with all that is under way. */
  close(): Promise<void> {
    return this.#inTurn(async () => {
      const open = this.#open;
      this.#open = undefined;
      if (open === undefined) return;
      const closed = new Promise<void>((resolve) => {
        open.server.close(() => resolve());
      });
      open.destroy();
      await closed;
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }
}
