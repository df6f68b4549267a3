/** Lets one after the other do what must not be done at once. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve();

  /** Does `work` once everything that came before is done, however that ended. */
  take<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work, work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}
