/** How many ids a connection remembers. Older ones are still in the ledger. */
const MAX_IDS = 256;

/**
 * The request ids that one connection used last: a cheap first look, in front of the ledger's durable one.
 */
export class RecentIds {
  readonly #ids = new Set<string>();

  /** Claims an id. False when it is taken. */
  claim(id: string): boolean {
    if (this.#ids.has(id)) return false;
    this.#ids.add(id);
    if (this.#ids.size > MAX_IDS) {
      for (const oldest of this.#ids) {
        this.#ids.delete(oldest);
        break;
      }
    }
    return true;
  }
}
