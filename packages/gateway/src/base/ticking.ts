import type { Lifecycle } from './lifecycle.js';
import { errorText, type Logger } from './logger.js';

/**
 * Does `work` every `intervalMs`. A turn that throws (no file descriptor left, a folder that somebody
 * removed) is told to `onError` and the next one comes: what looks after the gateway must not end it. Returns
 * the function that stops it.
 */
export function startTicking(
  intervalMs: number,
  onError: (error: unknown) => void,
  work: () => void,
): () => void {
  const timer = setInterval(() => {
    try {
      work();
    } catch (error) {
      onError(error);
    }
  }, intervalMs);
  return () => clearInterval(timer);
}

/** Work that is done at the start, and again every `intervalMs`. */
export class Ticking implements Lifecycle {
  readonly name: string;
  readonly #intervalMs: number;
  readonly #log: Logger;
  readonly #work: () => void;
  #stop: () => void = () => undefined;

  constructor(name: string, intervalMs: number, log: Logger, work: () => void) {
    this.name = name;
    this.#intervalMs = intervalMs;
    this.#log = log;
    this.#work = work;
  }

  start(): void {
    const failed = (error: unknown): void =>
      this.#log.error('a routine failed', { routine: this.name, error: errorText(error) });
    this.#stop = startTicking(this.#intervalMs, failed, this.#work);
    this.#work();
  }

  stop(): void {
    this.#stop();
  }
}
