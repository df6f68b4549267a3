import { errorText, type Logger } from '../logging/logger.js';

/** How often the file is looked at. */
const INTERVAL_MS = 200;

export interface FileWatchParts {
  /**
   * Gives another text for each state of the file. It may throw: a file that cannot be looked at is a state
   * as well.
   */
  readonly stamp: () => string;
  readonly reload: () => Promise<unknown>;
  readonly log: Logger;
}

/**
 * Reloads a file when it has changed. The file is polled: a watch on its folder would wake up for every write
 * to the databases beside it. A change counts once the file has looked the same twice, so that a file that is
 * being written is not loaded by half, with its last lines missing.
 */
export class FileWatch {
  readonly #parts: FileWatchParts;
  #seen: string;
  #loaded: string;
  #timer: NodeJS.Timeout | undefined;

  /** It remembers how the file looks now: a change before its first look is seen as one. */
  constructor(parts: FileWatchParts) {
    this.#parts = parts;
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
    if (!steady || stamp === this.#loaded) return;
    this.#loaded = stamp;
    const { reload, log } = this.#parts;
    reload().catch((error: unknown) =>
      log.error('a file could not be reloaded', { error: errorText(error) }),
    );
  }

  #stamp(): string {
    try {
      return this.#parts.stamp();
    } catch (error) {
      return `unreadable: ${errorText(error)}`;
    }
  }
}
