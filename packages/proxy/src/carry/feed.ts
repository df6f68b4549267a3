import type { Relay } from '@subluminal/egress';

/** As much as one read of a server gives. Memory is touched as far as servers say something. */
const FEED_BYTES = 262_144;
/** Buffers that are kept for the next connections. */
const MAX_KEPT = 32;

/** What a server says, piece by piece in one buffer: a piece is there until the next one is asked for. */
export class Feed implements Relay {
  readonly buffer: Buffer;
  /** Gets each piece; false stops the reading. Nothing may come before there is one. */
  onPiece: ((piece: Buffer) => boolean) | undefined;
  readonly take = (bytes: number): boolean => {
    if (this.onPiece === undefined) throw new Error('a server was read before anybody listened');
    return this.onPiece(this.buffer.subarray(0, bytes));
  };

  constructor(buffer: Buffer) {
    this.buffer = buffer;
  }
}

/** Lends buffers to connections, so that many short ones leave no memory to be cleaned up. */
export class Feeds {
  readonly #kept: Buffer[] = [];

  lend(): Feed {
    return new Feed(this.#kept.pop() ?? Buffer.allocUnsafeSlow(FEED_BYTES));
  }

  /** The connection is over on both sides: nothing reads or writes the buffer any more. */
  giveBack({ buffer }: Feed): void {
    if (this.#kept.length < MAX_KEPT) this.#kept.push(buffer);
  }
}
