import type { Socket } from 'node:net';
import type { Feed } from './feed.js';
import type { TurnBytes } from './turn-bytes.js';

/**
 * More than this waits in no socket for a reader that is slower than the other side, but for the piece that
 * crosses it.
 */
const HIGH_WATER = 65_536;
const takesNothing = (): boolean => false;

/** Why a pump rests. */
type Reason = 'reader' | 'pace' | 'turn';

export interface PumpParts {
  readonly from: Socket;
  readonly to: Socket;
  /**
   * Where what `from` gives stands, one piece after the other; without it each piece has memory of its own.
   */
  readonly feed?: Feed;
  /** Gives what may go on of what came. What it throws ends the pump. */
  readonly pass: (chunk: Buffer) => Buffer | undefined;
  /** Counts what goes on, and tells for how many milliseconds nothing more should. */
  readonly spend: (bytes: number) => number;
  readonly share: TurnBytes;
  /** The one side says no more. */
  readonly onEnd: () => void;
  readonly onFault: (error: unknown) => void;
}

/**
 * Carries bytes in one direction. It reads only as fast as the other side takes, the run may, and the event
 * loop has time for: what it may not carry yet stays with the sender.
 */
export class Pump {
  readonly #parts: PumpParts;
  readonly #rests = new Set<Reason>();
  #timer: NodeJS.Timeout | undefined;
  #isRunning = false;
  #isOver = false;
  readonly #onData = (chunk: Buffer): void => this.#carry(chunk);
  readonly #onEnd = (): void => {
    this.stop();
    this.#parts.onEnd();
  };
  readonly #onDrain = (): void => this.#resume('reader');
  readonly #onTurn = (): void => this.#resume('turn');

  constructor(parts: PumpParts) {
    this.#parts = parts;
  }

  /** Begins to carry, with bytes that were read already. */
  start(first?: Buffer): void {
    if (this.#isRunning || this.#isOver) return;
    this.#isRunning = true;
    const { from, feed } = this.#parts;
    if (feed === undefined) from.on('data', this.#onData);
    else
      feed.onPiece = (piece) => {
        this.#carry(piece);
        return this.#rests.size === 0 && !this.#isOver;
      };
    from.once('end', this.#onEnd);
    if (first !== undefined) this.#carry(first);
    if (this.#isOver) return;
    // What a socket says last comes even while it is paused.
    if (from.readableEnded) this.#onEnd();
    else if (this.#rests.size === 0) from.resume();
  }

  /** Carries nothing any more. */
  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    const { from, to, share, feed } = this.#parts;
    if (feed === undefined) from.off('data', this.#onData);
    else feed.onPiece = takesNothing;
    from.off('end', this.#onEnd);
    to.off('drain', this.#onDrain);
    share.forget(this.#onTurn);
  }

  #carry(chunk: Buffer): void {
    const { to, pass, spend, share, onFault } = this.#parts;
    let piece: Buffer | undefined;
    let waitMs = 0;
    try {
      piece = pass(chunk);
      if (piece !== undefined && piece.length > 0) waitMs = spend(piece.length);
    } catch (error) {
      this.stop();
      onFault(error);
      return;
    }
    if (this.#isOver) return;
    if (piece !== undefined && piece.length > 0) {
      if (this.#write(piece)) {
        this.#rest('reader');
        to.once('drain', this.#onDrain);
      }
    }
    if (waitMs > 0) {
      this.#rest('pace');
      this.#timer = setTimeout(() => this.#resume('pace'), waitMs);
    }
    if (!share.take(chunk.length)) {
      this.#rest('turn');
      share.wait(this.#onTurn);
    }
  }

  /** Tells whether nothing more may be read until the other side has taken it. */
  #write(piece: Buffer): boolean {
    const { to, feed } = this.#parts;
    if (feed === undefined) {
      to.write(piece);
      return to.writableLength >= HIGH_WATER;
    }
    // Bytes that the system does not take at once wait where they stand; a small piece, of which the end of
    // the wait is not told, as a copy.
    const isSmall = piece.length < to.writableHighWaterMark;
    to.write(isSmall ? Buffer.from(piece) : piece);
    return to.writableLength >= to.writableHighWaterMark;
  }

  #rest(reason: Reason): void {
    this.#rests.add(reason);
    this.#parts.from.pause();
  }

  #resume(reason: Reason): void {
    this.#rests.delete(reason);
    if (this.#rests.size === 0 && !this.#isOver) this.#parts.from.resume();
  }
}
