import { hexDigit } from '@subluminal/core-types';
const BACKSLASH = 0x5c;
const LINE_FEED = 0x0a;
/** The escapes of one letter, and what each means. */
export const SHORT_ESCAPES: ReadonlyMap<number, number> = new Map([
  [0x22, 0x22],
  [0x2f, 0x2f],
  [BACKSLASH, BACKSLASH],
  [0x62, 0x08],
  [0x66, 0x0c],
  [0x6e, LINE_FEED],
  [0x72, 0x0d],
  [0x74, 0x09],
]);

/** Takes one byte of the text that is meant, and where what it is written with begins. */
export type TakeUnit = (byte: number, start: number) => void;

/**
 * Reads what JSON strings mean, byte for byte of UTF-8, from bytes in which strings, structure and several
 * lines follow one another: every character can be written as an escape. A line feed ends whatever was begun.
 */
export class JsonUnits {
  readonly #take: TakeUnit;
  readonly #reset: () => void;
  readonly #lineFeedEnds: boolean;
  #state: 'plain' | 'escape' | 'hex' = 'plain';
  #start = 0;
  #digits = 0;
  #code = 0;
  /** The first half of a surrogate pair, and where it began. */
  #high = 0;
  #highStart = 0;

  /** `lineFeedEnds` false: what is read is the text of a string, in which a line feed may stand. */
  constructor(take: TakeUnit, reset: () => void, lineFeedEnds = true) {
    this.#take = take;
    this.#reset = reset;
    this.#lineFeedEnds = lineFeedEnds;
  }

  /** Forgets the unit that was begun. */
  clear(): void {
    this.#state = 'plain';
    this.#high = 0;
  }

  /** Where what is not understood yet begins; undefined for nothing. */
  get open(): number | undefined {
    if (this.#high !== 0) return this.#highStart;
    return this.#state === 'plain' ? undefined : this.#start;
  }

  push(byte: number, at: number): void {
    if (byte === LINE_FEED && this.#lineFeedEnds) {
      this.clear();
      this.#reset();
    } else if (this.#state === 'hex') this.#hex(byte, at);
    else if (this.#state === 'escape') this.#escape(byte, at);
    else if (byte === BACKSLASH) {
      this.#state = 'escape';
      this.#start = at;
    } else {
      this.#loneHigh();
      this.#take(byte, at);
    }
  }

  #escape(byte: number, at: number): void {
    if (byte === 0x75) {
      this.#state = 'hex';
      this.#digits = 0;
      this.#code = 0;
      return;
    }
    this.#state = 'plain';
    this.#loneHigh();
    const meant = SHORT_ESCAPES.get(byte);
    if (meant !== undefined) this.#take(meant, this.#start);
    else {
      this.#take(BACKSLASH, this.#start);
      this.#take(byte, at);
    }
  }

  #hex(byte: number, at: number): void {
    const digit = hexDigit(byte);
    if (digit === undefined) {
      // No JSON: it means nothing, and what follows begins anew.
      this.#state = 'plain';
      this.#high = 0;
      this.#reset();
      this.push(byte, at);
      return;
    }
    this.#code = this.#code * 16 + digit;
    this.#digits += 1;
    if (this.#digits < 4) return;
    this.#state = 'plain';
    this.#character(this.#code);
  }

  #character(code: number): void {
    if (code >= 0xdc00 && code <= 0xdfff && this.#high !== 0) {
      const point = 0x1_0000 + (this.#high - 0xd800) * 0x400 + (code - 0xdc00);
      const start = this.#highStart;
      this.#high = 0;
      this.#utf8(point, start);
      return;
    }
    this.#loneHigh();
    if (code >= 0xd800 && code <= 0xdbff) {
      this.#high = code;
      this.#highStart = this.#start;
    } else this.#utf8(code, this.#start);
  }

  #utf8(point: number, start: number): void {
    if (point < 0x80) this.#take(point, start);
    else for (const byte of Buffer.from(String.fromCodePoint(point))) this.#take(byte, start);
  }

  /** Half of a pair is no character, and in no value. */
  #loneHigh(): void {
    if (this.#high === 0) return;
    this.#high = 0;
    this.#reset();
  }
}
