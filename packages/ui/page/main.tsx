import { computed, effect, signal, type Signal } from '@preact/signals';
import { render, type JSX } from 'preact';
import { API, type Inbox, type State, type Unlocked } from '../src/protocol/index.js';
import { Feed } from './feed/feed.js';
import { App } from './frame/app.js';
import { Gate } from './frame/gate.js';
import { keysOf } from './keys/keys.js';
import { clockOf } from './parts/figures.js';
import { agentsOf } from './state/agents.js';
import { outsideOf } from './state/outside.js';
import { commandFor } from './parts/command-for.js';
import type { Dialog, Page } from './state/page.js';
import { placesOf } from './state/place.js';
import { looksOf } from './theme/theme.js';
import { startWorker, type AskWorker } from './verify/ask-worker.js';
import { Watch } from './verify/watch.js';
import { apiOf, asRefused, begin, dropToken, keepToken, keptToken, Refused, takeCode } from './wire/api.js';
import { copyText } from './wire/clipboard.js';
import { tabsOf } from './wire/other-tabs.js';
import { connect } from './wire/socket.js';

const SAYS_AT_MOST_EVERY_MS = 5000;
const SHOWN_MS = 3000;
const UNPAINTED_MS = 100;
/** Many files take their time; the gateway ends it by then. */
const COPY_MS = 660_000;

/** The composition root: what the page is made of, put together once. */
async function start(root: HTMLElement): Promise<void> {
  const looks = looksOf(localStorage, document.documentElement);
  const keys = keysOf(localStorage, () => performance.now());
  const places = placesOf(window);
  const copy = copyText;
  const now = (): number => Date.now();
  const said = signal('');
  const say = sayer(root, said);
  document.addEventListener('keydown', (event) => {
    if (document.querySelector('dialog[open]') === null) keys.pressed(event);
  });
  const worker = workerOnce();
  const tabs = tabsOf(window.location.origin);
  const draw = (view: JSX.Element): void => {
    render(null, root);
    // The tabs that the document brings stand there until now.
    root.replaceChildren();
    render(view, root);
  };

  // The home of a page whose session is over is still the one to ask.
  let known: State | null = null;
  // A gateway that was started again may be newer than the page that stayed open.
  const gate = (why: Refused | null, isStale = false): void => {
    dropToken(sessionStorage);
    const enter = async (code: string): Promise<void> => {
      const token = await begin(sessionStorage, code);
      if (isStale) window.location.reload();
      else open(token);
    };
    draw(<Gate why={why} copy={copy} command={commandFor(known, 'sub ui')} enter={enter} />);
  };
  const open = (token: string): void => {
    let isOver = false;
    const stops: (() => void)[] = [];
    const end = (why: Refused | null): void => {
      if (isOver) return;
      isOver = true;
      stops.forEach((stop) => stop());
      gate(why, true);
    };
    const dead = (): void =>
      end(new Refused('no_session', 'the session is over, or the gateway was started again', 'sub ui'));
    const api = apiOf(token, dead, wasUsed(window, stops));
    const feed = new Feed({ api, connect, now, random: Math.random, dead });
    const newest = (): number | undefined => feed.state.value?.head;
    const watch = new Watch({ api, ask: worker(), storage: localStorage, newest, now });
    const agents = agentsOf(api);
    const inbox = signal<Inbox | null>(null);
    const inboxProblem = signal<Refused | null>(null);
    const readInbox = async (): Promise<void> => {
      try {
        inbox.value = await api.get<Inbox>(API.inbox);
        inboxProblem.value = null;
      } catch (error) {
        // Cards of before are not what waits now.
        inboxProblem.value = asRefused(error);
      }
    };
    const outside = outsideOf(window, () => places.go({ view: 'inbox' }));
    const page: Page = {
      api,
      agents,
      feed,
      places,
      keys,
      looks,
      watch,
      copy,
      outside,
      command: (text) => commandFor(feed.state.value, text),
      now,
      clock: computed(() => clockOf(looks.utc.value)),
      state: feed.state,
      inbox,
      inboxProblem,
      readInbox,
      marked: signal<number | null>(null),
      dialog: signal<Dialog | null>(null),
      said,
      say,
      act: (act) => api.post(API.act, act, act.act.startsWith('layer-') ? COPY_MS : undefined),
      unlock: async (code) => {
        await api.post<Unlocked>(API.unlock, { code });
      },
      leave: async () => {
        // Without an answer it is no session of this page either.
        await api.post(API.leave, {}).catch(() => undefined);
        end(null);
      },
    };
    // A state comes with each change of anything: what depends on one member of it waits for that one.
    const home = computed(() => feed.state.value?.home ?? null);
    const waiting = computed(() => feed.state.value?.waiting ?? null);
    const runsLive = computed(() => feed.state.value?.runs_live ?? null);
    feed.open(places.now.value.view === 'live' ? places.now.value.filter : '');
    stops.push(
      tabs.answer(token),
      () => feed.close(),
      () => watch.stop(),
      effect(() => {
        known = feed.state.value ?? known;
      }),
      effect(() => {
        const [ledger, at] = [feed.ledger.value, home.value];
        if (ledger !== null && at !== null) void watch.begin(ledger, at);
      }),
      effect(() => {
        const { refused } = feed.unseen.value;
        if (refused > 0) say(`${refused} new refused`);
      }),
      effect(() => {
        if (waiting.value !== null) outside.waits(waiting.value);
      }),
      effect(() => {
        // A run more or less: names of agents may be new.
        if (runsLive.value !== null)
          // Without names the ends of ids stand there, and the next change asks again.
          void agents.read().catch(() => undefined);
      }),
    );
    draw(<App page={page} />);
  };

  const code = takeCode(window);
  let token = keptToken(sessionStorage);
  try {
    if (code !== null) token = await begin(sessionStorage, code);
  } catch (error) {
    return gate(asRefused(error));
  }
  if (token === null) {
    // A tab that a link of another one opened has none of its own.
    token = await tabs.ask();
    if (token === null) return gate(null);
    keepToken(sessionStorage, token);
  }
  return open(token);
}

/** Tells whether a person did something in this window since it was asked the last time. */
function wasUsed(window: Window, stops: (() => void)[]): () => boolean {
  let isUsed = true;
  const used = (): void => {
    isUsed = true;
  };
  for (const name of ['keydown', 'pointerdown', 'wheel'] as const) {
    window.addEventListener(name, used, { capture: true, passive: true });
    stops.push(() => window.removeEventListener(name, used, { capture: true }));
  }
  return () => {
    const was = isUsed;
    isUsed = false;
    return was;
  };
}

/** One worker for the life of the page: its policy of Trusted Types can be made once. */
function workerOnce(): () => AskWorker {
  let ask: AskWorker | null = null;
  return () => {
    ask ??= startWorker(window);
    return ask;
  };
}

/** Speaks to screen readers, not more often than anybody can listen; eyes have it at once. */
function sayer(root: HTMLElement, said: Signal<string>): (text: string) => void {
  const region = document.createElement('div');
  region.className = 'unseen';
  region.setAttribute('aria-live', 'polite');
  root.after(region);
  let last = Number.NEGATIVE_INFINITY;
  let [timer, shown] = [0, 0];
  return (text) => {
    clearTimeout(timer);
    clearTimeout(shown);
    said.value = text;
    shown = setTimeout(() => (said.value = ''), SHOWN_MS);
    const wait = Math.max(0, last + SAYS_AT_MOST_EVERY_MS - performance.now());
    timer = setTimeout(() => {
      last = performance.now();
      region.textContent = text;
    }, wait);
  };
}

/** Waits until what the document brings is painted, and not long: a hidden tab paints nothing. */
function painted(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, UNPAINTED_MS);
    requestAnimationFrame(() => setTimeout(resolve));
  });
}

const root = document.getElementById('page');
if (root !== null) void painted().then(() => start(root));
