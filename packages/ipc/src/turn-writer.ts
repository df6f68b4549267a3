/** More than this is not gathered: it is written at once. */
const MAX_GATHERED_BYTES = 65_536;

/** The members of an output that are used: every `Writable` has them. */
export interface Output {
  readonly writable: boolean;
  readonly writableLength: number;
  write: (bytes: Buffer) => boolean;
  on: (event: 'drain', listener: () => void) => unknown;
}

export interface TurnWriterOptions {
  readonly output: Output;
  /** The reader goes on after it had fallen behind. */
  readonly onDrain: () => void;
}

/**
 * Gathers what is written in one turn of the event loop and hands it to the system as one piece. Two small
 * buffers cost less to join than to write one after the other, or to list.
 */
export class TurnWriter {
  readonly #output: Output;
  #parts: Buffer[] = [];
  #bytes = 0;
  #due = false;
  #full = false;

  constructor({ output, onDrain }: TurnWriterOptions) {
    this.#output = output;
    output.on('drain', () => {
      this.#full = false;
      onDrain();
    });
  }

  /** The reader has fallen behind: nothing more should be written before `onDrain`. */
  get full(): boolean {
    return this.#full;
  }

  /** Bytes that were written here and not handed to the system yet. */
  get waiting(): number {
    return this.#bytes + this.#output.writableLength;
  }

  /** Writes bytes behind everything that was written before; they must not be changed any more. */
  write(bytes: Buffer): void {
    if (this.#bytes + bytes.length > MAX_GATHERED_BYTES) {
      this.flush();
      this.#handOver(bytes);
      return;
    }
    this.#parts.push(bytes);
    this.#bytes += bytes.length;
    if (this.#due) return;
    this.#due = true;
    setImmediate(() => {
      this.#due = false;
      this.flush();
    });
  }

  /** Hands over what was gathered without waiting for the end of the turn. */
  flush(): void {
    const [first] = this.#parts;
    if (first === undefined) return;
    const bytes = this.#parts.length === 1 ? first : Buffer.concat(this.#parts, this.#bytes);
    this.discard();
    this.#handOver(bytes);
  }

  /** Throws away what was gathered: nobody reads it any more. */
  discard(): void {
    this.#parts = [];
    this.#bytes = 0;
  }

  #handOver(bytes: Buffer): void {
    // The end of the output gave up the bytes that had not left.
    if (this.#output.writable) this.#full = !this.#output.write(bytes);
  }
}
