import type { Clock, RandomBytes } from '@subluminal/gateway';
import { hashOf } from './hash.js';

const CODE_BYTES = 16;
const CODE_MS = 60_000;
/** Codes that are remembered; of more the oldest is forgotten, and opens nothing any more. */
const MAX_CODES = 64;

interface Code {
  readonly until: number;
  /** The session that it has opened. */
  session: string | undefined;
  isReused: boolean;
}

/** The outcome of showing a code. `used`: it has opened that session before. */
export type Shown = 'wrong' | 'fresh' | { readonly used: string };

/** One-time codes: each opens one session within a minute. */
export class Codes {
  readonly #clock: Clock;
  readonly #random: RandomBytes;
  readonly #codes = new Map<string, Code>();

  constructor(clock: Clock, random: RandomBytes) {
    this.#clock = clock;
    this.#random = random;
  }

  /** A new code of 128 bits. */
  make(): string {
    const code = Buffer.from(this.#random(CODE_BYTES)).toString('base64url');
    this.#codes.set(hashOf(code), { until: this.#clock() + CODE_MS, session: undefined, isReused: false });
    for (const oldest of this.#codes.keys()) {
      if (this.#codes.size <= MAX_CODES) break;
      this.#codes.delete(oldest);
    }
    return code;
  }

  /** Uses a code up: what it is good for is said once. */
  take(code: string, session: string): Shown {
    const known = this.#codes.get(hashOf(code));
    if (known === undefined) return 'wrong';
    if (known.session !== undefined) {
      known.isReused = true;
      return { used: known.session };
    }
    if (this.#clock() > known.until) return 'wrong';
    known.session = session;
    return 'fresh';
  }

  /** Whether it was shown again since. */
  isReused(code: string): boolean {
    return this.#codes.get(hashOf(code))?.isReused !== false;
  }

  clear(): void {
    this.#codes.clear();
  }
}
