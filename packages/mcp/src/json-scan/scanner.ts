import { NumberReader } from './number-reader.js';
import { StringReader } from './string-reader.js';

/** How deep a scanned text may nest. One flag a level is kept. */
export const MAX_SCAN_DEPTH = 4096;

/** A scalar value. `text` is the decoded string or the number literal, where it was kept. */
export type Scalar =
  | { readonly kind: 'string'; readonly text: string | undefined }
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'literal'; readonly text: 'true' | 'false' | 'null' };

/**
 * Told of the structure of a text while it is scanned. `depth` counts the containers around: 0 is the text
 * itself.
 */
export interface ScanHandler {
  /** Asked before a key or string is read: is its text needed? */
  wantsText(depth: number, of: 'key' | 'string'): boolean;
  key(depth: number, text: string | undefined): void;
  scalar(depth: number, value: Scalar): void;
  open(depth: number, container: 'object' | 'array'): void;
  close(depth: number): void;
}

type Expecting = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end' | 'nothing';
type Inside = 'key' | 'string' | 'number' | 'literal' | undefined;

const LITERALS = { t: 'true', f: 'false', n: 'null' } as const;

/**
 * Reads one JSON text in chunks and constant memory, with the strict parser's idea of well-formedness (UTF-8,
 * escapes, surrogates, numbers, nothing behind the value) but without looking for duplicate keys, which is
 * the handler's task at the levels that matter. A raw carriage return is taken only at the very end: some
 * readers take one for the end of a line and would see two messages where we judged one.
 */
export class JsonScanner {
  readonly #handler: ScanHandler;
  readonly #strings = new StringReader();
  readonly #numbers = new NumberReader();
  /** One flag for each open container: is it an object? */
  readonly #stack: boolean[] = [];
  #expecting: Expecting = 'value';
  #inside: Inside;
  #literal: 'true' | 'false' | 'null' = 'null';
  #literalAt = 0;
  #carriageReturn = false;
  #failed = false;

  constructor(handler: ScanHandler) {
    this.#handler = handler;
  }

  /** Reads on. False as soon as the text cannot be JSON any more; nothing is read from then on. */
  push(chunk: Buffer): boolean {
    let at = 0;
    while (!this.#failed && at < chunk.length) {
      const next = this.#inside === undefined ? this.#structure(chunk, at) : this.#token(chunk, at);
      if (next < 0) this.#failed = true;
      else at = next;
    }
    return !this.#failed;
  }

  /** Tells whether the text is over and was JSON. */
  end(): boolean {
    if (this.#inside === 'number' && !this.#failed) this.#failed = !this.#endNumber();
    return !this.#failed && this.#inside === undefined && this.#expecting === 'nothing';
  }

  #token(chunk: Buffer, at: number): number {
    switch (this.#inside) {
      case 'key':
      case 'string':
        return this.#string(chunk, at, this.#inside);
      case 'number': {
        const next = this.#numbers.read(chunk, at);
        if (next < 0 || next === chunk.length) return next;
        return this.#endNumber() ? next : -1;
      }
      case 'literal':
        return this.#literalByte(chunk[at]) ? at + 1 : -1;
      case undefined:
        return -1;
    }
  }

  #string(chunk: Buffer, at: number, inside: 'key' | 'string'): number {
    const next = this.#strings.read(chunk, at);
    if (next < 0 || !this.#strings.ended) return next;
    this.#inside = undefined;
    const text = this.#strings.text();
    if (inside === 'key') {
      this.#handler.key(this.#stack.length, text);
      this.#expecting = 'colon';
    } else {
      this.#handler.scalar(this.#stack.length, { kind: 'string', text });
      this.#afterValue();
    }
    return next;
  }

  #endNumber(): boolean {
    this.#inside = undefined;
    if (!this.#numbers.complete) return false;
    this.#handler.scalar(this.#stack.length, { kind: 'number', text: this.#numbers.text });
    this.#afterValue();
    return true;
  }

  #literalByte(byte: number | undefined): boolean {
    if (byte !== this.#literal.charCodeAt(this.#literalAt)) return false;
    this.#literalAt += 1;
    if (this.#literalAt === this.#literal.length) {
      this.#inside = undefined;
      this.#handler.scalar(this.#stack.length, { kind: 'literal', text: this.#literal });
      this.#afterValue();
    }
    return true;
  }

  /** One byte between tokens. */
  #structure(chunk: Buffer, at: number): number {
    const byte = chunk[at];
    if (this.#carriageReturn) return -1;
    switch (byte) {
      case 0x0d:
        this.#carriageReturn = true;
        return at + 1;
      case 0x20:
      case 0x09:
      case 0x0a:
        return at + 1;
      case 0x2c:
        return this.#comma() ? at + 1 : -1;
      case 0x3a:
        if (this.#expecting !== 'colon') return -1;
        this.#expecting = 'value';
        return at + 1;
      case 0x5d:
      case 0x7d:
        return this.#close(byte === 0x7d) ? at + 1 : -1;
      case 0x22:
        return this.#quote() ? at + 1 : -1;
      default:
        return this.#value(byte ?? 0) ? at + (this.#inside === 'number' ? 0 : 1) : -1;
    }
  }

  #comma(): boolean {
    if (this.#expecting !== 'comma or end') return false;
    this.#expecting = this.#stack.at(-1) === true ? 'key' : 'value';
    return true;
  }

  #quote(): boolean {
    if (this.#expecting === 'key' || this.#expecting === 'key or end') this.#inside = 'key';
    else if (this.#takesValue()) this.#inside = 'string';
    else return false;
    this.#strings.start(this.#handler.wantsText(this.#stack.length, this.#inside));
    return true;
  }

  /** The first byte of a container, number or literal. A number's first byte is read again by its reader. */
  #value(byte: number): boolean {
    if (!this.#takesValue()) return false;
    if (byte === 0x7b || byte === 0x5b) return this.#open(byte === 0x7b);
    if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) {
      this.#inside = 'number';
      this.#numbers.start();
      return true;
    }
    const first = String.fromCharCode(byte);
    if (first !== 't' && first !== 'f' && first !== 'n') return false;
    this.#inside = 'literal';
    this.#literal = LITERALS[first];
    this.#literalAt = 1;
    return true;
  }

  #takesValue(): boolean {
    return this.#expecting === 'value' || this.#expecting === 'value or end';
  }

  #open(isObject: boolean): boolean {
    if (this.#stack.length >= MAX_SCAN_DEPTH) return false;
    this.#handler.open(this.#stack.length, isObject ? 'object' : 'array');
    this.#stack.push(isObject);
    this.#expecting = isObject ? 'key or end' : 'value or end';
    return true;
  }

  #close(isObject: boolean): boolean {
    const emptyAllowed = isObject ? 'key or end' : 'value or end';
    if (this.#expecting !== 'comma or end' && this.#expecting !== emptyAllowed) return false;
    if (this.#stack.pop() !== isObject) return false;
    this.#handler.close(this.#stack.length);
    this.#afterValue();
    return true;
  }

  #afterValue(): void {
    this.#expecting = this.#stack.length === 0 ? 'nothing' : 'comma or end';
  }
}
