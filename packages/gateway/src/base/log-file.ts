import { closeSync, renameSync, fstatSync, writeSync } from 'node:fs';
import { openToAppend } from '@subluminal/ipc';

/** Bytes after which the log starts anew; the previous one is kept as `<path>.1`. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * A log file that never grows beyond twice its limit. Writes are synchronous: a log line before a crash is
 * there. What the disk does not take is lost and counted: a gateway that dies of its log would leave nobody
 * to say no.
 */
export class LogFile {
  readonly #path: string;
  readonly #maxBytes: number;
  #file: number;
  #size: number;
  #lost = 0;
  #closed = false;

  constructor(path: string, maxBytes: number = MAX_BYTES) {
    this.#path = path;
    this.#maxBytes = maxBytes;
    this.#file = openToAppend(path);
    this.#size = fstatSync(this.#file).size;
  }

  /** Lines that could not be written. */
  get lost(): number {
    return this.#lost;
  }

  /** Appends one line. After `close` nothing happens. */
  write(line: string): void {
    // Its number may belong to another file by now.
    if (this.#closed) return;
    if (this.#size > 0 && this.#size + line.length > this.#maxBytes) this.#rotate();
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
   */
  #rotate(): void {
    const old = this.#file;
    try {
      renameSync(this.#path, `${this.#path}.1`);
      this.#file = openToAppend(this.#path);
    } catch (error) {
      if (!isSystemError(error)) throw error;
    }
    // Also when it failed: the next try comes after as many bytes again.
    this.#size = 0;
    if (this.#file !== old) closeSync(old);
  }
}

/** A full, broken or read-only disk, as opposed to a mistake of ours. */
function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}
