import type { JsonObject } from '@subluminal/core-types/portable';

/** `question` about a call, `action` that waits for a yes, held `tool`, `hint`. */
export type CardKind = 'question' | 'action' | 'tool' | 'hint';

/** Something that a person can answer. */
export interface Card {
  readonly kind: CardKind;
  /** Of a question or an action its own, of a hint its call's, of a tool `SERVER/TOOL`. */
  readonly id: string;
  /** The entry of the call that it is about. */
  readonly seq: number | null;
  readonly run: string | null;
  /** It waits; others are answered, and still hold. */
  readonly open: boolean;
  /** SHA-256 of `facts`: an answer carries it, and is refused where they are others by then. */
  readonly shown: string;
  /** All that is known of it, as `sub approvals --json` prints it (docs/cli.md). */
  readonly facts: JsonObject;
  /** The newest call that a yes to a question let pass; null where there is none yet. */
  readonly passed: number | null;
  /** Epoch ms. */
  readonly expires: number | null;
  /** The same by hand. */
  readonly command: string;
}

export interface Inbox {
  readonly cards: readonly Card[];
  /** Held tools without a card: their definitions do not fit into the answer. */
  readonly omitted: number;
  /** Of the file that did not load; null where the file is in force. */
  readonly policy_problem: string | null;
}

/** The hints that were given and can still be promoted, newest first. */
export interface Hints {
  readonly hints: readonly Card[];
}
