import { Transform, type TransformCallback } from 'node:stream';
import { Conceal, type Sought } from './conceal.js';

/** Whoever has said something waits for an answer longer than this between two pieces of one text. */
const PAUSE_MS = 20;

/** `Conceal` over a stream. */
class Concealing extends Transform {
  readonly #conceal: Conceal;
  #timer: NodeJS.Timeout | undefined;

  constructor(texts: () => Sought) {
    super();
    this.#conceal = new Conceal(texts);
  }

  override _transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
    clearTimeout(this.#timer);
    const passed = this.#conceal.push(chunk);
    if (this.#conceal.isWaiting) this.#timer = setTimeout(() => this.push(this.#conceal.pause()), PAUSE_MS);
    done(null, passed);
  }

  override _flush(done: TransformCallback): void {
    clearTimeout(this.#timer);
    done(null, this.#conceal.end());
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearTimeout(this.#timer);
    done(error);
  }
}

/** Takes texts out of a stream. */
export function concealing(texts: () => Sought): Transform {
  return new Concealing(texts);
}
