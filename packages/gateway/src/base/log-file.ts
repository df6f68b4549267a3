import { closeSync, ftruncateSync, fstatSync, renameSync, rmSync, writeSync } from 'node:fs';
import { openToAppend } from '@subluminal/ipc';

/** The room of a log: bytes of one file, and full files that are kept beside it. */
export interface LogBounds {
  readonly maxBytes: number;
  readonly kept: number;
}

/** Full files that any settings keep: those that were kept before are looked for up to here. */
const MOST_KEPT = 100;

/**
 * A log that never grows beyond its bounds: a full file becomes `<path>.1`, the one before it `<path>.2`, and
 * the oldest goes. Writes are synchronous: a log line before a crash is there. What the disk does not take is
 * lost and counted: a gateway that dies of its log would leave nobody to say no.
 */
export class LogFile {
  readonly #path: string;
  #bounds: LogBounds;
  #file: number;
  #size: number;
  #lost = 0;
  #closed = false;

  constructor(path: string, bounds: LogBounds) {
    this.#path = path;
    this.#bounds = bounds;
    this.#file = openToAppend(path);
    this.#size = fstatSync(this.#file).size;
  }

  /** Lines that could not be written. */
  get lost(): number {
    return this.#lost;
  }

  /** Other bounds: they hold from the next full file on. */
  setBounds(bounds: LogBounds): void {
    this.#bounds = bounds;
  }

  /** Appends one line. After `close` nothing happens. */
  write(line: string): void {
    // Its number may belong to another file by now.
    if (this.#closed) return;
    if (this.#size > 0 && this.#size + Buffer.byteLength(line) > this.#bounds.maxBytes) this.#rotate();
    try {
      this.#size += writeSync(this.#file, line);
    } catch (error) {
      if (!isSystemError(error)) throw error;
      this.#lost += 1;
    }
  }

  close(): void {
    this.#closed = true;
    closeSync(this.#file);
  }

  /**
   * The old file is given up last: whatever fails before, there is one to write to, and its number is ours.
   * One that cannot be set aside begins anew where it is, since it must not grow.
   */
  #rotate(): void {
    const old = this.#file;
    const { kept } = this.#bounds;
    try {
      for (let n = MOST_KEPT; n > kept; n -= 1) rmSync(this.#at(n), { force: true });
      for (let n = kept; n > 0; n -= 1) this.#move(n - 1, n);
      if (kept === 0) ftruncateSync(old, 0);
      else this.#file = openToAppend(this.#path);
    } catch (error) {
      if (!isSystemError(error)) throw error;
      this.#beginAnew(old);
    }
    this.#size = 0;
    if (this.#file !== old) closeSync(old);
  }

  #move(from: number, to: number): void {
    try {
      renameSync(this.#at(from), this.#at(to));
    } catch (error) {
      // Fewer files than may be kept are there.
      if (from === 0 || Reflect.get(Object(error), 'code') !== 'ENOENT') throw error;
    }
  }

  #at(n: number): string {
    return n === 0 ? this.#path : `${this.#path}.${n}`;
  }

  #beginAnew(file: number): void {
    try {
      ftruncateSync(file, 0);
    } catch (error) {
      if (!isSystemError(error)) throw error;
    }
  }
}

/** A full, broken or read-only disk, as opposed to a mistake of ours. */
function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}
