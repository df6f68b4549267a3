import type { Duplex } from 'node:stream';

/** What a client may say before it was told that it may. */
const MAX_BYTES = 65_536;

/**
 * Listens to a client that waits for leave to speak: whoever nobody reads cannot be seen to leave. What it
 * says nevertheless is kept, up to 64 KiB and what came with them; more stays with it.
 */
export class EarlyBytes {
  readonly #client: Duplex;
  readonly #pieces: Buffer[];
  #length: number;
  readonly #hear = (piece: Buffer): void => {
    this.#pieces.push(piece);
    this.#length += piece.length;
    if (this.#length > MAX_BYTES) this.#client.pause();
  };
  readonly #gone = (): void => void this.#client.destroy();

  /** `head`: what was read already. */
  constructor(client: Duplex, head: Buffer) {
    this.#client = client;
    this.#pieces = [head];
    this.#length = head.length;
    client.on('data', this.#hear);
    client.once('end', this.#gone);
  }

  /** Gives what was said. The client is paused, for whoever reads it next. */
  take(): Buffer {
    this.#client.off('data', this.#hear);
    this.#client.off('end', this.#gone);
    this.#client.pause();
    return Buffer.concat(this.#pieces.splice(0));
  }

  /** Says no more to the client, which goes when it has read that; what it still says is dropped. */
  leave(): void {
    this.take();
    this.#client.end();
    this.#client.resume();
  }
}
