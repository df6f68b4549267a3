/** A timer that is set once until it goes off or is stopped. */
export class Later {
  readonly #run: () => void;
  readonly #keepsProcess: boolean;
  #timer: NodeJS.Timeout | undefined;

  /** `keepsProcess`: the process does not end before it has gone off. */
  constructor(run: () => void, { keepsProcess }: { readonly keepsProcess: boolean }) {
    this.#run = run;
    this.#keepsProcess = keepsProcess;
  }

  /** Sets it, unless it is set. */
  set(ms: number): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#run();
    }, ms);
    if (!this.#keepsProcess) this.#timer.unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
