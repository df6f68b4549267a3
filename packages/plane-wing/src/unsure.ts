/** Of more runs than this all are unsure. */
const MAX_RUNS = 1024;

/**
 * Runs of which something was not followed: a change may have been in it, so nobody knows whether their work
 * was checked.
 */
export class Unsure {
  readonly #runs = new Set<string>();
  #isAll = false;

  /** Something of that run was lost. */
  note(runId: string): void {
    if (this.#runs.size < MAX_RUNS) this.#runs.add(runId);
    else this.#isAll = true;
  }

  /** Nobody knows of which runs. It stays so until the next start. */
  noteAll(): void {
    this.#isAll = true;
  }

  has(runId: string): boolean {
    return this.#isAll || this.#runs.has(runId);
  }

  /** The run is over. */
  forget(runId: string): void {
    this.#runs.delete(runId);
  }
}
