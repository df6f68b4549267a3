import { closeSync, openSync, renameSync, fstatSync, writeSync } from 'node:fs';

/** Bytes after which the log starts anew; the previous one is kept as `<path>.1`. */
const MAX_BYTES = 4 * 1024 * 1024;

/** A log file that never grows beyond twice its limit. Writes are synchronous: a log line before a crash is there. */
export class LogFile {
  readonly #path: string;
  readonly #maxBytes: number;
  #file: number;
  #size: number;
  #closed = false;

  constructor(path: string, maxBytes: number = MAX_BYTES) {
    this.#path = path;
    this.#maxBytes = maxBytes;
    this.#file = openSync(path, 'a', 0o600);
    this.#size = fstatSync(this.#file).size;
  }

  /** Appends one line. After `close` nothing happens. */
  write(line: string): void {
    // Its number may belong to another file by now.
    if (this.#closed) return;
    if (this.#size > 0 && this.#size + line.length > this.#maxBytes) this.#rotate();
    this.#size += writeSync(this.#file, line);
  }

  close(): void {
    this.#closed = true;
    closeSync(this.#file);
  }

  #rotate(): void {
    closeSync(this.#file);
    renameSync(this.#path, `${this.#path}.1`);
    this.#file = openSync(this.#path, 'a', 0o600);
    this.#size = 0;
  }
}
