import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { TurnBytes } from '../carry/turn-bytes.js';

export interface MeteredParts {
  readonly inner: Socket;
  /**
   * Counts bytes, and tells for how many milliseconds nothing more should be carried. What it throws ends the
   * connection.
   */
  readonly spend: (up: number, down: number) => number;
  readonly share: TurnBytes;
}

/**
 * The secure connection to a server, as what speaks HTTP over it sees it: counted, and as fast as the run may
 * and the event loop has time for.
 */
export class Metered extends Duplex {
  readonly #parts: MeteredParts;
  #timer: NodeJS.Timeout | undefined;
  #isResting = false;
  readonly #wake = (): void => {
    this.#isResting = false;
    this.#parts.inner.resume();
  };

  constructor(parts: MeteredParts) {
    super({ allowHalfOpen: true });
    this.#parts = parts;
    const { inner } = parts;
    inner.on('data', (chunk: Buffer) => this.#take(chunk));
    inner.once('end', () => this.push(null));
    inner.once('error', (error) => this.destroy(error));
    inner.once('close', () => this.destroy());
    inner.pause();
  }

  override _read(): void {
    if (!this.#isResting) this.#parts.inner.resume();
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    const { inner, spend } = this.#parts;
    let waitMs: number;
    try {
      waitMs = spend(chunk.length, 0);
    } catch (error) {
      done(error instanceof Error ? error : new Error('it may not be carried'));
      return;
    }
    const goOn = (): void => {
      if (waitMs > 0) setTimeout(done, waitMs);
      else done();
    };
    if (inner.write(chunk)) goOn();
    else inner.once('drain', goOn);
  }

  override _final(done: () => void): void {
    this.#parts.inner.end();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearTimeout(this.#timer);
    this.#parts.share.forget(this.#wake);
    this.#parts.inner.destroy();
    done(error);
  }

  #take(chunk: Buffer): void {
    const { inner, spend, share } = this.#parts;
    let waitMs: number;
    try {
      waitMs = spend(0, chunk.length);
    } catch (error) {
      this.destroy(error instanceof Error ? error : undefined);
      return;
    }
    if (!this.push(chunk)) inner.pause();
    const isFair = share.take(chunk.length);
    if (waitMs <= 0 && isFair) return;
    this.#isResting = true;
    inner.pause();
    if (waitMs > 0) this.#timer = setTimeout(this.#wake, waitMs);
    else share.wait(this.#wake);
  }
}
