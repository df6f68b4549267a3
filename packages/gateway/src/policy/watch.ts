import { errorText, type Logger } from '../logging/logger.js';
import { signaturePath } from './accept.js';
import { policyStamp } from './file.js';
import type { PolicyHolder } from './holder.js';

/** How often the file is looked at. */
const INTERVAL_MS = 200;

/**
 * Loads the policy file when it has changed. It is polled: a watch on its folder would wake up for every write to the
 * databases beside it. A change counts once the file has looked the same twice, so that a file that is being written
 * is not loaded by half, with its last rules missing.
 */
export class PolicyWatch {
  readonly #path: string;
  readonly #holder: PolicyHolder;
  readonly #log: Logger;
  #seen: string;
  #loaded: string;
  #timer: NodeJS.Timeout | undefined;

  constructor(path: string, holder: PolicyHolder, log: Logger) {
    this.#path = path;
    this.#holder = holder;
    this.#log = log;
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
    this.#holder.reload({ asked: false }).catch((error: unknown) => {
      this.#log.error('the policy could not be reloaded', { error: errorText(error) });
    });
  }

  /** Of the file and, where it has to be signed, of what is signed: whichever comes second completes the pair. */
  #stamp(): string {
    const paths = this.#holder.accept === 'signed' ? [this.#path, signaturePath(this.#path)] : [this.#path];
    try {
      return paths.map((path) => policyStamp(path)).join(' ');
    } catch (error) {
      return `unreadable: ${errorText(error)}`;
    }
  }
}
