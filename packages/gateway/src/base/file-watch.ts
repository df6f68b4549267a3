import type { Lifecycle } from './lifecycle.js';
import { errorText, type Logger } from './logger.js';

/** How often the file is looked at. */
const INTERVAL_MS = 200;
/** At most so many looks pass between two tries of a reload that is owed. */
const MAX_PAUSE = 16;

export interface FileWatchParts {
  readonly name: string;
  /**
   * Gives another text for each state of the file. It may throw: a file that cannot be looked at is a state
   * as well.
   */
  readonly stamp: () => string;
  readonly reload: () => Promise<unknown>;
  /**
   * Whether the last reload failed for nothing that the file could mend, so that it has to be tried again.
   */
  readonly isOwed: () => boolean;
  readonly log: Logger;
}

/**
 * Reloads a file when it has changed. The file is polled: a watch on its folder would wake up for every write
 * to the databases beside it. A change counts once the file has looked the same twice, so that a file that is
 * being written is not loaded by half, with its last lines missing. A reload that is owed is tried again at
 * the next look, then more and more seldom.
 */
export class FileWatch implements Lifecycle {
  readonly name: string;
  readonly #parts: FileWatchParts;
  #seen: string;
  #loaded: string;
  #isReloading = false;
  /** Looks until an owed reload is tried again, and looks that follow that try. */
  #left = 0;
  #pause = 1;
  #timer: NodeJS.Timeout | undefined;

  /** It remembers how the file looks now: a change before its first look is seen as one. */
  constructor(parts: FileWatchParts) {
    this.#parts = parts;
    this.name = parts.name;
    this.#seen = this.#stamp();
    this.#loaded = this.#seen;
  }

  start(intervalMs: number = INTERVAL_MS): void {
    this.#timer = setInterval(() => this.#look(), intervalMs);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const stamp = this.#stamp();
    const steady = stamp === this.#seen;
    this.#seen = stamp;
    if (!steady || this.#isReloading || !this.#isDue(stamp)) return;
    this.#loaded = stamp;
    this.#isReloading = true;
    const { reload, log } = this.#parts;
    reload()
      .catch((error: unknown) => log.error('a file could not be reloaded', { error: errorText(error) }))
      .finally(() => (this.#isReloading = false));
  }

  #isDue(stamp: string): boolean {
    const isNew = stamp !== this.#loaded;
    if (isNew || !this.#parts.isOwed()) {
      this.#left = 0;
      this.#pause = 1;
      return isNew;
    }
    if (this.#left > 0) {
      this.#left -= 1;
      return false;
    }
    this.#left = this.#pause;
    this.#pause = Math.min(this.#pause * 2, MAX_PAUSE);
    return true;
  }

  #stamp(): string {
    try {
      return this.#parts.stamp();
    } catch (error) {
      return `unreadable: ${errorText(error)}`;
    }
  }
}
