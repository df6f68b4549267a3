import { signal } from '@preact/signals';
import { asRefused, type Refused } from '../wire/api.js';

/** Waits before a reading that failed is done again; after these it waits for a person. */
const WAITS_MS = [2000, 4000, 8000, 16_000, 32_000];

/** The reading that is under way for a window: what an earlier window asked for is thrown away. */
export class Reads {
  readonly isLoading = signal(false);
  /** Why the last reading failed, until one succeeds. */
  readonly problem = signal<Refused | null>(null);
  #window = 0;
  #tries = 0;
  #again: (() => unknown) | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Another window stands. */
  begin(isLoading: boolean): void {
    this.#window += 1;
    this.succeeded();
    this.isLoading.value = isLoading;
  }

  /** Tells whether it worked, for the window that still stands; if it failed, `again` is tried later. */
  async run(work: (isStill: () => boolean) => Promise<unknown>, again: () => unknown): Promise<boolean> {
    const window = this.#window;
    const isStill = (): boolean => window === this.#window;
    this.isLoading.value = true;
    try {
      await work(isStill);
      return isStill();
    } catch (error) {
      if (isStill()) this.failed(error, again);
      return false;
    } finally {
      if (isStill()) this.isLoading.value = false;
    }
  }

  succeeded(): void {
    clearTimeout(this.#timer);
    this.#again = null;
    this.#tries = 0;
    this.problem.value = null;
  }

  /** A filter that cannot be read stays so: a person may try again, and nobody else does. */
  failed(error: unknown, again: () => unknown): void {
    const problem = asRefused(error);
    clearTimeout(this.#timer);
    this.problem.value = problem;
    this.#again = again;
    const wait = problem.code === 'usage' ? undefined : WAITS_MS[this.#tries];
    if (wait === undefined) return;
    this.#tries += 1;
    this.#timer = setTimeout(() => this.#goOn(), wait);
  }

  /** Does at once again what failed. */
  retry(): void {
    this.#tries = 0;
    this.#goOn();
  }

  #goOn(): void {
    clearTimeout(this.#timer);
    const again = this.#again;
    this.#again = null;
    again?.();
  }
}
