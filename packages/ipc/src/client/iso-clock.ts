/**
 * Writes times as ISO 8601. Most of them fall into the second of the one before, of which only the
 * milliseconds differ.
 */
export class IsoClock {
  #second = Number.NaN;
  /** The text of the second, up to its dot. */
  #text = '';

  /** Gives the text of `new Date(time).toISOString()`. */
  textOf(time: number): string {
    const second = Math.floor(time / 1000);
    if (second !== this.#second) {
      this.#text = new Date(second * 1000).toISOString().slice(0, -'000Z'.length);
      this.#second = second;
    }
    return `${this.#text}${String(Math.floor(time) - second * 1000).padStart(3, '0')}Z`;
  }
}
