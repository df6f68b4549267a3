import { timingSafeEqual } from 'node:crypto';
import type { Clock, RandomBytes } from '@subluminal/gateway';
import { hashOf } from './hash.js';

const CODE_MS = 120_000;
const TRIES = 5;
const DIGITS = 6;
const RANGE = 10 ** DIGITS;

/** Six digits that a terminal shows, for one unlock of one page. Five wrong tries end them. */
export class UnlockCode {
  readonly #clock: Clock;
  readonly #random: RandomBytes;
  #pending: { readonly hash: string; readonly until: number; left: number } | undefined;

  constructor(clock: Clock, random: RandomBytes) {
    this.#clock = clock;
    this.#random = random;
  }

  /** A new code; one before it is good for nothing any more. */
  make(): { readonly code: string; readonly seconds: number } {
    const number = uniform(this.#random);
    const code = String(number).padStart(DIGITS, '0');
    this.#pending = { hash: hashOf(code), until: this.#clock() + CODE_MS, left: TRIES };
    return { code, seconds: CODE_MS / 1000 };
  }

  /** `none`: there is no code to try. */
  try(code: string): 'right' | 'wrong' | 'none' {
    const pending = this.#pending;
    if (pending === undefined || this.#clock() > pending.until) {
      this.#pending = undefined;
      return 'none';
    }
    const isRight = timingSafeEqual(Buffer.from(hashOf(code)), Buffer.from(pending.hash));
    pending.left -= 1;
    if (isRight || pending.left === 0) this.#pending = undefined;
    return isRight ? 'right' : 'wrong';
  }

  clear(): void {
    this.#pending = undefined;
  }
}

/** A number below a million, each as likely as the others. */
function uniform(random: RandomBytes): number {
  const most = Math.floor(2 ** 32 / RANGE) * RANGE;
  for (;;) {
    const drawn = Buffer.from(random(4)).readUInt32BE(0);
    if (drawn < most) return drawn % RANGE;
  }
}
