import type { Socket } from 'node:net';

/** The client has gone, or the connection was given up. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

/**
 * Reads a socket piece by piece; between two reads nothing flows, so that what waits stays in the system's
 * buffers.
 */
export class ClientInput {
  readonly #socket: Socket;
  #returned: Buffer | undefined;
  #stop: ((error: Error) => void) | undefined;
  #error: Error | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.once('close', () => this.fail(new ClientGone('the client has gone')));
  }

  /**
   * The next bytes; undefined where the client says no more. Throws `ClientGone`, or what `fail` was given.
   * One at a time.
   */
  read(): Promise<Buffer | undefined> {
    const returned = this.#returned;
    this.#returned = undefined;
    if (this.#error !== undefined) return Promise.reject(this.#error);
    if (returned !== undefined || this.#socket.readableEnded) return Promise.resolve(returned);
    return new Promise((resolve, reject) => {
      const socket = this.#socket;
      const settle = (): void => {
        socket.off('data', onData);
        socket.off('end', onEnd);
        this.#stop = undefined;
        socket.pause();
      };
      const onData = (chunk: Buffer): void => {
        settle();
        resolve(chunk);
      };
      const onEnd = (): void => {
        settle();
        resolve(undefined);
      };
      this.#stop = (error) => {
        settle();
        reject(error);
      };
      socket.on('data', onData);
      socket.once('end', onEnd);
      socket.resume();
    });
  }

  /** Gives bytes back: they are read next. */
  unread(bytes: Buffer): void {
    if (bytes.length > 0) this.#returned = bytes;
  }

  /** What was given back, for who reads the socket itself from now on. */
  release(): Buffer | undefined {
    const rest = this.#returned;
    this.#returned = undefined;
    return rest;
  }

  /** Ends the read that waits, and those that come. */
  fail(error: Error): void {
    this.#error ??= error;
    this.#stop?.(this.#error);
  }
}
