/** Work that goes on beside the commits: one piece at a time, and none behind one that failed. */
export class Aside {
  #running: Promise<void> | undefined;
  #failed = false;
  #failure: unknown;

  get isBusy(): boolean {
    return this.#running !== undefined;
  }

  /** Starts a piece of work. Call only while nothing runs. */
  start(work: () => Promise<void>): void {
    if (this.#running !== undefined) throw new TypeError('a piece of work is under way');
    this.#running = work().then(
      () => this.#end(),
      (error: unknown) => {
        this.#failed = true;
        this.#failure = error;
        this.#end();
      },
    );
  }

  /** Throws what a piece of work failed with. */
  assertSound(): void {
    if (this.#failed) throw this.#failure;
  }

  /** Waits for what runs, whatever becomes of it. */
  async over(): Promise<void> {
    await this.#running;
  }

  #end(): void {
    this.#running = undefined;
  }
}
