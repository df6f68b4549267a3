import type { Socket } from 'node:net';
import type { TurnShare } from './turn-share.js';

/** More than this waits in no socket for a reader that is slower than the other side, but for the piece that crosses it. */
const HIGH_WATER = 65_536;

/** Why a pump rests. */
type Reason = 'reader' | 'pace' | 'turn';

export interface PumpParts {
  readonly from: Socket;
  readonly to: Socket;
  /** Gives what may go on of what came. What it throws ends the pump. */
  readonly pass: (chunk: Buffer) => Buffer | undefined;
  /** Counts what goes on, and tells for how many milliseconds nothing more should. */
  readonly spend: (bytes: number) => number;
  readonly share: TurnShare;
  /** The one side says no more. */
  readonly onEnd: () => void;
  readonly onFault: (error: unknown) => void;
}

/**
 * Carries bytes in one direction. It reads only as fast as the other side takes, the run may, and the event loop has time
 * for: what it may not carry yet stays with the sender.
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
    const { from } = this.#parts;
    from.on('data', this.#onData);
    from.once('end', this.#onEnd);
    if (first !== undefined) this.#carry(first);
    if (!this.#isOver && this.#rests.size === 0) from.resume();
  }

  /** Carries nothing any more. */
  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    const { from, to, share } = this.#parts;
    from.off('data', this.#onData);
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
      to.write(piece);
      if (to.writableLength >= HIGH_WATER) {
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

  #rest(reason: Reason): void {
    this.#rests.add(reason);
    this.#parts.from.pause();
  }

  #resume(reason: Reason): void {
    this.#rests.delete(reason);
    if (this.#rests.size === 0 && !this.#isOver) this.#parts.from.resume();
  }
}
