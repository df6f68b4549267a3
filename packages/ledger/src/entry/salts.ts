const SALT_BYTES = 16;
const POOL_BYTES = 4096;

/**
 * Salts from a pool that is drawn at once: a system call for each blob was a measurable part of the gateway's
 * work. No byte is given out twice, and none is kept once it was.
 */
export class Salts {
  readonly #randomBytes: (size: number) => Uint8Array;
  #pool = new Uint8Array(0);
  #at = 0;

  /** `randomBytes` is cryptographic: a salt that can be guessed tells what a short preview says. */
  constructor(randomBytes: (size: number) => Uint8Array) {
    this.#randomBytes = randomBytes;
  }

  /** The next salt, 16 bytes. */
  next(): Uint8Array {
    if (this.#pool.length - this.#at < SALT_BYTES) {
      this.#pool = new Uint8Array(this.#randomBytes(POOL_BYTES));
      this.#at = 0;
    }
    const end = this.#at + SALT_BYTES;
    // A copy: the pool forgets what it gave out.
    const salt = this.#pool.slice(this.#at, end);
    this.#pool.fill(0, this.#at, end);
    this.#at = end;
    return salt;
  }
}
