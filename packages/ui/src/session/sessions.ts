import { newId, SublError } from '@subluminal/core-types';
import type { Clock, InnerAsker, InnerSession, RandomBytes } from '@subluminal/gateway';
import { UiRefusal } from '../door/refusal.js';
import { Codes } from './codes.js';
import { hashOf } from './hash.js';
import { UnlockCode } from './unlock-code.js';

const TOKEN_BYTES = 32;
const IDLE_MS = 12 * 3_600_000;
const UNLOCKED_MS = 15 * 60_000;
const MAX_SESSIONS = 8;
const DEAD = 'run `sub ui` and open the link that it prints';

/** The events of a session in the record. */
export type SessionEvent = 'begun' | 'ended' | 'code_reused' | 'unlocked' | 'unlock_failed' | 'locked';

/** Digits, and the session that they unlock. */
export interface MadeUnlock {
  readonly code: string;
  readonly seconds: number;
  readonly session: string;
  /** Epoch ms. */
  readonly begunAt: number;
}

/** A page that showed a code. */
export interface UiSession {
  readonly id: string;
  readonly inner: InnerSession;
  readonly begunAt: number;
  usedAt: number;
  unlockedUntil: number;
}

export interface SessionsParts {
  readonly clock: Clock;
  readonly random: RandomBytes;
  /** Undefined where the gateway stops. */
  readonly openSession: (asker: InnerAsker, onEnd: () => void) => InnerSession | undefined;
  /** A session is over, whoever ended it. */
  readonly onEnd: (session: UiSession) => void;
}

/**
 * The sessions of the page, in memory alone: none outlives its gateway. Of a token its hash is kept. Each
 * asks the gateway as itself, and not as the operator.
 */
export class Sessions {
  readonly #parts: SessionsParts;
  readonly #codes: Codes;
  readonly #unlock: UnlockCode;
  readonly #byHash = new Map<string, UiSession>();

  constructor(parts: SessionsParts) {
    this.#parts = parts;
    this.#codes = new Codes(parts.clock, parts.random);
    this.#unlock = new UnlockCode(parts.clock, parts.random);
  }

  get size(): number {
    return this.#byHash.size;
  }

  makeCode(): string {
    return this.#codes.make();
  }

  /**
   * Digits for the session that was used last, which is the one in front of a person.
   *
   * @throws SublError `failed` if there is none.
   */
  makeUnlock(): MadeUnlock {
    this.sweep();
    const [last] = [...this.#byHash.values()].toSorted((a, b) => b.usedAt - a.usedAt);
    if (last === undefined) throw new SublError('failed', 'no page is open', { help: '`sub ui` opens one' });
    return { ...this.#unlock.make(last.id), session: last.id, begunAt: last.begunAt };
  }

  /**
   * Opens a session for a code. A code that has opened one before was seen by somebody else: that session
   * ends, and both sides hear of it.
   *
   * @throws UiRefusal `code_wrong`, `code_used`; SublError of what records it.
   */
  async begin(code: string): Promise<{ readonly token: string; readonly session: UiSession }> {
    const { clock, openSession, random } = this.#parts;
    const id = newId();
    const shown = this.#codes.take(code, id);
    if (shown === 'wrong')
      throw new UiRefusal(
        403,
        'code_wrong',
        'the code is none of this gateway, or is over a minute old',
        DEAD,
      );
    if (shown !== 'fresh') {
      const first = [...this.#byHash.values()].find((one) => one.id === shown.used);
      if (first !== undefined) {
        await this.#note(first, 'code_reused');
        this.end(first);
      }
      throw codeUsed();
    }
    this.sweep();
    if (this.#byHash.size >= MAX_SESSIONS) this.#endLongestIdle();
    const token = Buffer.from(random(TOKEN_BYTES)).toString('base64url');
    const hash = hashOf(token);
    const inner = openSession({ kind: 'ui', session: id }, () => this.#forget(hash));
    if (inner === undefined) throw new UiRefusal(503, 'shutting_down', 'the gateway stops');
    const now = clock();
    const session: UiSession = { id, inner, begunAt: now, usedAt: now, unlockedUntil: 0 };
    try {
      // It is recorded before it is good for anything.
      await this.#note(session, 'begun');
    } catch (error) {
      inner.end();
      throw error;
    }
    // Somebody else may have shown it meanwhile, and then it opens nothing.
    if (this.#codes.isReused(code)) {
      inner.end();
      throw codeUsed();
    }
    this.#byHash.set(hash, session);
    return { token, session };
  }

  /**
   * The session of a token. One that only its page uses, and no person, ends all the same.
   *
   * @throws UiRefusal `no_session`
   */
  of(token: string, by: 'page' | 'person'): UiSession {
    const session = this.#byHash.get(hashOf(token));
    const now = this.#parts.clock();
    if (session === undefined || now - session.usedAt > IDLE_MS) {
      if (session !== undefined) this.end(session);
      throw noSession();
    }
    if (by === 'person') session.usedAt = now;
    return session;
  }

  /** Whether it is still one. */
  has(session: UiSession): boolean {
    return [...this.#byHash.values()].includes(session);
  }

  /**
   * Throws `not_permitted` unless the session that asks as `ui:SESSION` lives, and is unlocked where it must
   * be.
   */
  assertMayAsk(asker: string, mustBeUnlocked: boolean): void {
    this.sweep();
    const session = [...this.#byHash.values()].find(({ id }) => `ui:${id}` === asker);
    if (session === undefined)
      throw new SublError('not_permitted', 'the session of this page is over', { help: DEAD });
    if (mustBeUnlocked && !this.isUnlocked(session))
      throw new SublError('not_permitted', 'this allows more than before', {
        help: 'run `sub ui unlock` in a terminal',
      });
  }

  isUnlocked(session: UiSession): boolean {
    return this.#parts.clock() < session.unlockedUntil;
  }

  /** Unlocks a session for a quarter of an hour. @throws UiRefusal `code_wrong`, `locked` */
  async unlock(session: UiSession, code: string): Promise<number> {
    const tried = this.#unlock.try(code, session.id);
    // Without digits to try nothing is recorded: a page buys no entries that nobody asked for.
    if (tried === 'none')
      throw new UiRefusal(403, 'locked', 'no digits are waited for', 'run `sub ui unlock` in a terminal');
    if (tried === 'wrong') {
      await this.#note(session, 'unlock_failed');
      throw new UiRefusal(403, 'code_wrong', 'these are not the digits of `sub ui unlock`');
    }
    await this.#note(session, 'unlocked');
    session.unlockedUntil = this.#parts.clock() + UNLOCKED_MS;
    return session.unlockedUntil;
  }

  /** Locks one before its time, as its page asks. It holds also if it cannot be recorded. */
  async lock(session: UiSession): Promise<void> {
    session.unlockedUntil = 0;
    await this.#note(session, 'locked');
  }

  /** Ends one, as its page asks. */
  async leave(session: UiSession): Promise<void> {
    await this.#note(session, 'ended');
    this.end(session);
  }

  end(session: UiSession): void {
    // Its end forgets it.
    session.inner.end();
  }

  /** Ends all, with every code that is out. */
  endAll(): void {
    this.#codes.clear();
    this.#unlock.clear();
    for (const session of this.#byHash.values()) this.end(session);
  }

  /** Ends those that were not used for half a day. */
  sweep(): void {
    const now = this.#parts.clock();
    for (const session of this.#byHash.values()) if (now - session.usedAt > IDLE_MS) this.end(session);
  }

  #endLongestIdle(): void {
    const [longest] = [...this.#byHash.values()].toSorted((a, b) => a.usedAt - b.usedAt);
    if (longest !== undefined) this.end(longest);
  }

  async #note(session: UiSession, event: SessionEvent): Promise<void> {
    const { status, error } = await session.inner.ask('ui.session', { event });
    if (status !== 'success')
      throw new UiRefusal(503, error?.code ?? 'failed', error?.message ?? 'it could not be recorded');
  }

  #forget(hash: string): void {
    const session = this.#byHash.get(hash);
    this.#byHash.delete(hash);
    if (session !== undefined) this.#parts.onEnd(session);
  }
}

/** The refusal of a token whose session is over. */
export function noSession(): UiRefusal {
  return new UiRefusal(401, 'no_session', 'the session of this page is over', DEAD);
}

function codeUsed(): UiRefusal {
  return new UiRefusal(403, 'code_used', 'the code was used before, so its session has ended', DEAD);
}
