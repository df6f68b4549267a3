/** Events that are answered at once, of one process and of all. */
const MAX_OF_ONE = 64;
const MAX_OF_ALL = 256;

/** The events that are being answered, by the process that asks. */
export class Places {
  readonly #taken = new Map<string, number>();
  #all = 0;

  /** Takes a place, and gives how it is left; undefined where there is none. */
  take(key: string): (() => void) | undefined {
    const own = this.#taken.get(key) ?? 0;
    if (own >= MAX_OF_ONE || this.#all >= MAX_OF_ALL) return undefined;
    this.#taken.set(key, own + 1);
    this.#all += 1;
    return () => {
      this.#all -= 1;
      const left = (this.#taken.get(key) ?? 1) - 1;
      if (left === 0) this.#taken.delete(key);
      else this.#taken.set(key, left);
    };
  }
}
