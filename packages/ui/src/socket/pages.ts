import { errorText, type Logger } from '@subluminal/gateway';
import type Wire from 'ws';
import { commonState, stateOf } from '../api/state.js';
import type { Access } from '../door/peers.js';
import { UiRefusal } from '../door/refusal.js';
import type { Reader } from '../reader/reader.js';
import type { Sessions, UiSession } from '../session/sessions.js';
import { PageSocket } from './page-socket.js';

const MOST = 16;
const STATE_MS = 1000;
/** With each state of these numbers a page is looked at anew, and asked whether it lives. */
const LOOKS = 5;
const PINGS = 25;

export interface PagesParts {
  readonly ledgerId: string;
  /** The home of this account that `sub` uses unless it is told of another one. */
  readonly defaultHome: string;
  readonly head: () => number;
  readonly reader: Pick<Reader, 'feed'>;
  readonly sessions: Sessions;
  readonly now: () => number;
  readonly log: Logger;
}

/** How far a page is trusted, and how that is asked anew. */
interface Trust {
  access: Access;
  readonly ask: () => Promise<Access>;
}

/** The open pages: each is told the state of the gateway as it changes. */
export class Pages {
  readonly #parts: PagesParts;
  readonly #open = new Map<PageSocket, Trust>();
  #timer: NodeJS.Timeout | undefined;
  #isTelling = false;
  #ticks = 0;

  constructor(parts: PagesParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#open.size;
  }

  /** @throws UiRefusal `too_many` where no other page may be open. */
  assertRoom(): void {
    if (this.#open.size >= MOST)
      throw new UiRefusal(429, 'too_many', `at most ${MOST} pages are open at once`);
  }

  /** Takes a page whose connection is open. `ask` tells anew how far it is trusted. */
  add(socket: Wire, access: Access, ask: () => Promise<Access>): void {
    const { head, ledgerId, now, reader, sessions } = this.#parts;
    const page = new PageSocket(
      socket,
      { head, ledgerId, now, reader, sessionOf: (token) => sessions.of(token, 'page') },
      () => {
        this.#open.delete(page);
        if (this.#open.size > 0) return;
        clearInterval(this.#timer);
        this.#timer = undefined;
      },
    );
    this.#open.set(page, { access, ask });
    this.#timer ??= setInterval(() => void this.#tick(), STATE_MS);
  }

  /** Closes the pages of a session that is over. */
  ended(session: UiSession): void {
    for (const page of this.#open.keys())
      if (page.session === session) page.bye('no_session', 'the session of this page is over');
  }

  close(): void {
    for (const page of this.#open.keys()) page.bye('restart', 'the door of the page is shut');
  }

  async #tick(): Promise<void> {
    this.#ticks += 1;
    for (const [page, trust] of this.#open) {
      if (this.#ticks % PINGS === 0) page.ping();
      if (this.#ticks % LOOKS === 0) void this.#lookAgain(page, trust);
    }
    const [asker] = [...this.#open.keys()].flatMap(({ session }) => session ?? []);
    if (asker === undefined || this.#isTelling) return;
    this.#isTelling = true;
    try {
      const common = await commonState(asker, this.#parts.defaultHome);
      for (const [page, { access }] of this.#open) {
        const { session } = page;
        if (session !== undefined) page.tellState(stateOf(common, session, access, this.#parts.now()));
      }
    } catch (error) {
      // The next one is told again.
      this.#parts.log.debug('pages were not told the state', { error: errorText(error) });
    } finally {
      this.#isTelling = false;
    }
  }

  /** A process may have joined a run since it opened its socket. */
  async #lookAgain(page: PageSocket, trust: Trust): Promise<void> {
    try {
      trust.access = await trust.ask();
    } catch (error) {
      // A failure of the system is no answer: until there is one nothing is changed.
      trust.access = 'read';
      if (error instanceof UiRefusal) page.bye('no_session', error.message);
    }
  }
}
