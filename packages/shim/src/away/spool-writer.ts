import {
  closeSync,
  constants,
  fdatasyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import {
  type JsonObject,
  MAX_SPOOL_BYTES,
  MAX_SPOOL_CALLS,
  NO_LINE,
  type ProcessIdentity,
  writeSpoolLine,
} from '@subluminal/core-types';
import { syncFolder } from '@subluminal/ipc';

/** Kept free for the end of each call that has begun. */
const END_BYTES = 2048;
/** Spools of one run that may lie there before no other is begun. */
const MAX_FILES = 64;

export interface SpoolWriterOptions {
  /** `run/away/<run id>`; made where it is missing. */
  readonly folder: string;
  readonly snapshotId: string;
  readonly owner: ProcessIdentity;
  readonly key: Uint8Array;
  /** The body of the first line. */
  readonly header: JsonObject;
}

/** The spool as it is handed to the gateway. */
export interface HandedSpool {
  readonly text: string;
  readonly lines: number;
  readonly calls: number;
  readonly last: string;
}

/**
 * The record of a shim that was alone, line by line: in a private file that the gateway finds when this
 * process is gone, and in memory for when it is not, so that nobody who cuts the file short or removes it
 * makes this shim forget.
 */
export class SpoolWriter {
  readonly #options: SpoolWriterOptions;
  readonly #path: string;
  readonly #file: number;
  #text = '';
  #bytes = 0;
  #lines = 0;
  #calls = 0;
  #open = 0;
  #last = NO_LINE;
  /** A line may have been cut off on the disk: what follows is kept in memory alone. */
  #isBroken = false;

  /** System errors pass through: what cannot be written down is not done. */
  constructor(options: SpoolWriterOptions) {
    const { folder, snapshotId, owner, header } = options;
    this.#options = options;
    makeFolder(folder);
    if (readdirSync(folder).length >= MAX_FILES) throw new Error('too many spools of this run wait');
    this.#path = join(folder, `${snapshotId}.${owner.pid}-${owner.start}`);
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_APPEND;
    this.#file = openSync(this.#path, flags, 0o600);
    try {
      const { text, hash } = this.#next(header);
      this.#store(text);
      this.#remember(text, hash);
      syncFolder(folder);
    } catch (error) {
      closeSync(this.#file);
      throw error;
    }
  }

  /**
   * Writes that a call begins, and waits for the disk. False where the spool is full. System errors pass
   * through.
   */
  begin(body: JsonObject): boolean {
    const room = MAX_SPOOL_BYTES - this.#bytes - (this.#open + 1) * END_BYTES;
    const { text, hash } = this.#next(body);
    if (this.#isBroken) throw new Error('a line before it could not be written');
    if (this.#calls >= MAX_SPOOL_CALLS || Buffer.byteLength(text) + 1 > room) return false;
    this.#store(text);
    this.#remember(text, hash);
    fdatasyncSync(this.#file);
    this.#calls += 1;
    this.#open += 1;
    return true;
  }

  /**
   * Writes how a call ended; `short` stands in for an end that is longer than there is room for. System
   * errors pass through.
   */
  end(body: JsonObject, short: JsonObject): void {
    const long = this.#next(body);
    const fits = Buffer.byteLength(long.text) + 1 <= END_BYTES;
    const { text, hash } = fits ? long : this.#next(short);
    this.#remember(text, hash);
    this.#open -= 1;
    this.#store(text);
  }

  handOver(): HandedSpool {
    return { text: this.#text, lines: this.#lines, calls: this.#calls, last: this.#last };
  }

  /** The gateway has it: nothing of it is needed any more. */
  remove(): void {
    closeSync(this.#file);
    try {
      unlinkSync(this.#path);
    } catch (error) {
      // Gone already, or it will be found and known.
      if (!(error instanceof Error && 'syscall' in error)) throw error;
    }
  }

  #next(body: JsonObject): { text: string; hash: string } {
    return writeSpoolLine(this.#options.key, this.#lines, this.#last, body);
  }

  #remember(text: string, hash: string): void {
    this.#text += `${text}\n`;
    this.#bytes += Buffer.byteLength(text) + 1;
    this.#lines += 1;
    this.#last = hash;
  }

  #store(text: string): void {
    if (this.#isBroken) return;
    this.#isBroken = true;
    const line = Buffer.from(`${text}\n`);
    for (let done = 0; done < line.length;) done += writeSync(this.#file, line, done);
    this.#isBroken = false;
  }
}

function makeFolder(folder: string): void {
  for (const path of [dirname(folder), folder]) {
    if (mkdirSync(path, { recursive: true, mode: 0o700 }) !== undefined) syncFolder(dirname(path));
  }
}
