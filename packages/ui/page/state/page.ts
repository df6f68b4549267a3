import type { ReadonlySignal, Signal } from '@preact/signals';
import type { JsonValue } from '@subluminal/core-types/portable';
import type { Act, Acted, Inbox, State } from '../../src/protocol/index.js';
import type { Feed } from '../feed/feed.js';
import type { Keys } from '../keys/keys.js';
import type { Clock } from '../parts/figures.js';
import type { Copy } from '../parts/command.js';
import type { Looks } from '../theme/theme.js';
import type { Watch } from '../verify/watch.js';
import type { Api, Refused } from '../wire/api.js';
import type { Agents } from './agents.js';
import type { Outside } from './outside.js';
import type { Places } from './place.js';

/** A dialog that covers the page. */
export type Dialog =
  | { readonly kind: 'keys' }
  | { readonly kind: 'goto' }
  | { readonly kind: 'panic' }
  | { readonly kind: 'sure'; readonly title: string; readonly says: string; readonly does: () => void };

/** Everything that views share. */
export interface Page {
  readonly api: Api;
  readonly agents: Agents;
  readonly feed: Feed;
  readonly places: Places;
  readonly keys: Keys;
  readonly looks: Looks;
  readonly watch: Watch;
  readonly copy: Copy;
  readonly outside: Outside;
  /** A command of `sub` as it has to be typed to reach the gateway of this page, whatever home that has. */
  readonly command: (text: string) => string;
  readonly now: () => number;
  readonly clock: ReadonlySignal<Clock>;
  readonly state: ReadonlySignal<State | null>;
  readonly inbox: ReadonlySignal<Inbox | null>;
  /** Why it could not be read the last time. */
  readonly inboxProblem: ReadonlySignal<Refused | null>;
  /** Reads the inbox again. */
  readonly readInbox: () => Promise<void>;
  /** The entry that was marked to be compared with another one. */
  readonly marked: Signal<number | null>;
  readonly dialog: Signal<Dialog | null>;
  /** The text that `say` said last, for three seconds. */
  readonly said: ReadonlySignal<string>;
  /** Spoken by a screen reader, politely, and shown below. */
  readonly say: (text: string) => void;
  /** Asks for a change. Throws `Refused`, with `locked` where it widens and nothing is unlocked. */
  readonly act: <Data = JsonValue>(act: Act) => Promise<Acted<Data>>;
  /** Unlocks by the code of `sub ui unlock`. */
  readonly unlock: (code: string) => Promise<void>;
  /** Ends the session, and this page with it. */
  readonly leave: () => Promise<void>;
}
