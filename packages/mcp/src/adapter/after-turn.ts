/** Puts off what nobody waits for until what this turn of the event loop wrote has left. Order is kept. */
export class AfterTurn {
  #tasks: (() => void)[] = [];

  /** Runs `task` in this turn still, behind the writing that was asked for before. */
  add(task: () => void): void {
    this.#tasks.push(task);
    if (this.#tasks.length === 1) setImmediate(() => this.run());
  }

  /** Runs what was put off now. */
  run(): void {
    const tasks = this.#tasks;
    this.#tasks = [];
    for (const task of tasks) task();
  }
}
