/** Names that were used last, at most so many. */
export class Remembered {
  readonly #most: number;
  readonly #names = new Set<string>();

  constructor(most: number) {
    this.#most = most;
  }

  add(name: string): void {
    this.#names.delete(name);
    this.#names.add(name);
    const [oldest] = this.#names;
    if (this.#names.size > this.#most && oldest !== undefined) this.#names.delete(oldest);
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  all(): readonly string[] {
    return [...this.#names];
  }
}
