/** A column that is NULL. A small integer: V8 would put NaN on the heap, once a row. */
export const NONE = -(2 ** 30);

/** Goes through the columns of entries. */
export class Cursor {
  at = 0;
  readonly #octets: Buffer;

  constructor(octets: Buffer) {
    this.#octets = octets;
  }

  /** The integer before the next `end`: `NONE` where nothing stands there, infinite where it is none. */
  integer(end: number): number {
    const octets = this.#octets;
    const from = this.at;
    let at = from;
    let value = 0;
    for (let digit = digitAt(octets, at); digit >= 0 && digit <= 9; digit = digitAt(octets, at)) {
      value = value * 10 + digit;
      at += 1;
    }
    if (octets[at] !== end) return this.#other(from, end);
    this.at = at + 1;
    return at === from ? NONE : value;
  }

  /** Goes behind the next `end`, and says where that is. */
  skip(end: number): number {
    const octets = this.#octets;
    let at = this.at;
    while (at < octets.length && octets[at] !== end) at += 1;
    this.at = at + 1;
    return at;
  }

  #other(from: number, end: number): number {
    const value = Number(this.#octets.toString('latin1', from, this.skip(end)));
    return Number.isSafeInteger(value) && value !== NONE ? value : Number.POSITIVE_INFINITY;
  }
}

function digitAt(octets: Uint8Array, at: number): number {
  return (octets[at] ?? 0) - 0x30;
}
