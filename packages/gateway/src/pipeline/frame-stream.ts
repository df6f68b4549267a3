import { RecentIds } from './recent-ids.js';
import type { Refusal } from './reply.js';

/** All that is remembered of the frames of one connection. */
export class FrameStream {
  /** The request ids that it has used. */
  readonly recent = new RecentIds();
  /** It has shown, in a signed request, that it speaks our protocol. */
  introduced = false;
  /** The refusal of everything on it: its client speaks another protocol. */
  stranger: Refusal | undefined;
  /** Ends when all frames so far are read; undefined while none takes turns of the event loop. */
  #reading: Promise<unknown> | undefined;

  /** Reads a frame. Those behind one that is read in turns of the event loop wait for it. */
  inOrder<T>(read: () => T | Promise<T>): T | Promise<T> {
    const given = this.#reading === undefined ? read() : this.#reading.then(read);
    if (!(given instanceof Promise)) return given;
    const reading = Promise.allSettled([given]).then(() => {
      if (this.#reading === reading) this.#reading = undefined;
    });
    this.#reading = reading;
    return given;
  }
}
