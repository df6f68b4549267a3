/**
 * Finds where a run of characters of one class ends, and reads every character once however often it is
 * asked: a position inside the last run has the answer already. Positions must not go down.
 */
export class RunEnds {
  readonly #text: string;
  readonly #belongs: (code: number) => boolean;
  #from = 0;
  #end = 0;

  constructor(text: string, belongs: (code: number) => boolean) {
    this.#text = text;
    this.#belongs = belongs;
  }

  /** The first index from `at` on whose character does not belong to the class (or the text's length). */
  endFrom(at: number): number {
    if (at >= this.#from && at < this.#end) return this.#end;
    let end = at;
    while (end < this.#text.length && this.#belongs(this.#text.charCodeAt(end))) end += 1;
    this.#from = at;
    this.#end = end;
    return end;
  }
}

/**
 * Finds the next place of a fixed string, and searches every part of the text once. Positions must not go
 * down.
 */
export class NextPlaces {
  readonly #text: string;
  readonly #wanted: string;
  #next = -2;

  constructor(text: string, wanted: string) {
    this.#text = text;
    this.#wanted = wanted;
  }

  /** The first index from `at` on where the string stands, or the text's length. */
  from(at: number): number {
    if (this.#next < at) {
      const found = this.#text.indexOf(this.#wanted, at);
      this.#next = found === -1 ? this.#text.length : found;
    }
    return this.#next;
  }
}

/** A–Z, a–z, 0–9. */
export function isAlphanumeric(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);
}

/** The characters of identifiers and base64url: letters, digits, `_`, `-`. */
export function isWord(code: number): boolean {
  return isAlphanumeric(code) || code === 0x5f || code === 0x2d;
}

/** Space, tab, carriage return, line feed. */
export function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0d || code === 0x0a;
}
