import { randomBytes } from 'node:crypto';
import { closeSync, constants, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Stored } from '../adapter/outbox.js';

/**
 * Bytes that wait outside of memory: a 0600 file that has no name from the moment it exists, so that no other
 * process can open it and nothing is left of it when this one is killed. Writes go to the page cache and do
 * not wait for a disk.
 */
export class Spool implements Stored {
  readonly #file: number;
  #length = 0;
  #open = true;

  /** `folder` is a private folder of the home. System errors (no space, no folder) pass through. */
  constructor(folder: string) {
    const path = join(folder, `.spool-${randomBytes(12).toString('hex')}`);
    this.#file = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600);
    unlinkSync(path);
  }

  get length(): number {
    return this.#length;
  }

  append(bytes: Buffer): void {
    let done = 0;
    while (done < bytes.length) {
      done += writeSync(this.#file, bytes, done, bytes.length - done, this.#length + done);
    }
    this.#length += bytes.length;
  }

  /** At most `size` bytes from `position`; fewer only at the end. */
  read(position: number, size: number): Buffer {
    const bytes = Buffer.allocUnsafe(Math.min(size, this.#length - position));
    let done = 0;
    while (done < bytes.length) {
      const count = readSync(this.#file, bytes, done, bytes.length - done, position + done);
      if (count === 0) throw new Error('the spool file lost bytes');
      done += count;
    }
    return bytes;
  }

  /** Gives the space back. Closing twice is fine. */
  close(): void {
    if (!this.#open) return;
    this.#open = false;
    closeSync(this.#file);
  }
}
