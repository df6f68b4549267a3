/** The longest number literal, as in the strict parser. */
const MAX_LENGTH = 1024;

/** Where in the grammar of a number the next byte stands. */
type State = 'start' | 'minus' | 'zero' | 'integer' | 'point' | 'fraction' | 'exponent' | 'sign' | 'power';

const COMPLETE: ReadonlySet<State> = new Set(['zero', 'integer', 'fraction', 'power']);

/** Reads one JSON number literal (RFC 8259 §6) however it is cut into chunks. At most 1,024 characters. */
export class NumberReader {
  #state: State = 'start';
  #text = '';

  start(): void {
    this.#state = 'start';
    this.#text = '';
  }

  /** The index of the first byte that is not part of the number, or -1 when it gets too long. */
  read(chunk: Buffer, at: number): number {
    let index = at;
    for (; index < chunk.length; index += 1) {
      const byte = chunk[index] ?? 0;
      const next = follow(this.#state, byte);
      if (next === undefined) break;
      this.#state = next;
      this.#text += String.fromCharCode(byte);
      if (this.#text.length > MAX_LENGTH) return -1;
    }
    return index;
  }

  /** Tells whether what was read is a whole number literal. */
  get complete(): boolean {
    return COMPLETE.has(this.#state);
  }

  get text(): string {
    return this.#text;
  }
}

function follow(state: State, byte: number): State | undefined {
  const digit = byte >= 0x30 && byte <= 0x39;
  const zero = byte === 0x30;
  const exponent = byte === 0x65 || byte === 0x45;
  switch (state) {
    case 'start':
    case 'minus':
      if (state === 'start' && byte === 0x2d) return 'minus';
      return digit ? (zero ? 'zero' : 'integer') : undefined;
    case 'zero':
    case 'integer':
      if (digit && state === 'integer') return 'integer';
      if (byte === 0x2e) return 'point';
      return exponent ? 'exponent' : undefined;
    case 'point':
    case 'fraction':
      if (digit) return 'fraction';
      return exponent && state === 'fraction' ? 'exponent' : undefined;
    case 'exponent':
      if (byte === 0x2b || byte === 0x2d) return 'sign';
      return digit ? 'power' : undefined;
    case 'sign':
    case 'power':
      return digit ? 'power' : undefined;
  }
}
