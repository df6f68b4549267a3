import type { BytePath } from '../files/byte-path.js';
import { deniedBy, saysFull } from '../plan/denied.js';
import type { Conflict, ConflictKind } from '../plan/left.js';

/** The paths that a commit has done so far, and those that it has left. */
export class Outcome {
  readonly #done = new Set<BytePath>();
  readonly #conflicts: Conflict[] = [];
  readonly #left = new Set<BytePath>();
  #isFull = false;

  get done(): readonly BytePath[] {
    return [...this.#done];
  }

  get conflicts(): readonly Conflict[] {
    return this.#conflicts;
  }

  /** No room is left in the project. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** A change that was left has no more steps: the next one would be on another thing than was planned. */
  hasLeft(path: BytePath): boolean {
    return this.#left.has(path);
  }

  did(path: BytePath): void {
    if (!this.#left.has(path)) this.#done.add(path);
  }

  leave(
    path: BytePath,
    why: ConflictKind,
    more: { system?: string; aside?: BytePath | undefined } = {},
  ): void {
    const { system, aside } = more;
    this.#done.delete(path);
    this.#left.add(path);
    this.#conflicts.push({
      path,
      why,
      ...(system === undefined ? {} : { system }),
      ...(aside === undefined ? {} : { aside }),
    });
  }

  /** Nothing more is begun. */
  fill(): void {
    this.#isFull = true;
  }

  /**
   * Leaves a path for an error of the system that concerns it, and throws any other one. `aside` is where
   * what had its name is now, if that is somewhere else.
   */
  fail(path: BytePath, error: unknown, aside?: BytePath): void {
    if (saysFull(error)) {
      this.fill();
      this.leave(path, 'not_reached', { aside });
      return;
    }
    const system = deniedBy(error);
    if (system === undefined) throw error;
    this.leave(path, 'denied', { system, aside });
  }
}
