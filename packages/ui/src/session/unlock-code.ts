import { timingSafeEqual } from 'node:crypto';
import type { Clock, RandomBytes } from '@subluminal/gateway';
import { hashOf } from './hash.js';

const CODE_MS = 120_000;
const TRIES = 5;
const DIGITS = 6;
const RANGE = 10 ** DIGITS;

/**
 * Six digits that a terminal shows, for one unlock of one session: those that were typed into a page that
 * looks alike are good for no other. Five wrong tries of that session end them; others count for nothing.
 */
export class UnlockCode {
  readonly #clock: Clock;
  readonly #random: RandomBytes;
  #pending:
    | { readonly hash: string; readonly session: string; readonly until: number; left: number }
    | undefined;

  constructor(clock: Clock, random: RandomBytes) {
    this.#clock = clock;
    this.#random = random;
  }

  /** A new code for a session; one before it is good for nothing any more. */
  make(session: string): { readonly code: string; readonly seconds: number } {
    const number = uniform(this.#random);
    const code = String(number).padStart(DIGITS, '0');
    this.#pending = { hash: hashOf(code), session, until: this.#clock() + CODE_MS, left: TRIES };
    return { code, seconds: CODE_MS / 1000 };
  }

  /** `none`: there is no code for that session to try. */
  try(code: string, session: string): 'right' | 'wrong' | 'none' {
    const pending = this.#pending;
    if (pending === undefined || this.#clock() > pending.until) {
      this.#pending = undefined;
      return 'none';
    }
    if (pending.session !== session) return 'none';
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
