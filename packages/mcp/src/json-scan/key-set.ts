/** As many keys, and as much text of keys, as are kept of one object. */
const MAX_KEYS = 4096;
const MAX_CHARACTERS = 262_144;
/** The number of keys that `tool.call.begin` takes. */
const MAX_LISTED = 256;
const MAX_LISTED_LENGTH = 256;

/** The keys of one object, in bounded memory. */
export class KeySet {
  readonly #keys = new Set<string>();
  #characters = 0;

  /** Adds a key; false when it is there already, or when it cannot be told because there are too many. */
  add(key: string): boolean {
    if (this.#keys.has(key)) return false;
    this.#characters += key.length;
    if (this.#keys.size >= MAX_KEYS || this.#characters > MAX_CHARACTERS) return false;
    this.#keys.add(key);
    return true;
  }

  /** All keys, where they are few and short enough to be told to the gateway; else undefined. */
  keys(): readonly string[] | undefined {
    if (this.#keys.size > MAX_LISTED) return undefined;
    const keys = [...this.#keys];
    return keys.some((key) => key.length > MAX_LISTED_LENGTH) ? undefined : keys;
  }
}
