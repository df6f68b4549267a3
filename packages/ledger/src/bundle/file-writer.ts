import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { FileMark } from './manifest.js';

const FLUSH_CHARS = 256 * 1024;

/** Writes one file of a bundle line by line, in a bounded memory, and keeps its hash. */
export class BundleFileWriter {
  readonly name: string;
  readonly #fd: number;
  readonly #hash = createHash('sha256');
  #waiting: string[] = [];
  #chars = 0;
  #bytes = 0;

  /** Makes the file, which must not exist. */
  constructor(folder: string, name: string) {
    this.name = name;
    this.#fd = openSync(join(folder, name), 'wx', 0o600);
  }

  write(text: string): void {
    this.#waiting.push(text);
    this.#chars += text.length;
    if (this.#chars >= FLUSH_CHARS) this.#flush();
  }

  line(text: string): void {
    this.write(`${text}\n`);
  }

  /** Syncs and closes the file. */
  end(): FileMark {
    this.#flush();
    fsyncSync(this.#fd);
    this.close();
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }

  close(): void {
    closeSync(this.#fd);
  }

  #flush(): void {
    const bytes = Buffer.from(this.#waiting.join(''));
    this.#waiting = [];
    this.#chars = 0;
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
    for (let at = 0; at < bytes.length;) at += writeSync(this.#fd, bytes, at);
  }
}
