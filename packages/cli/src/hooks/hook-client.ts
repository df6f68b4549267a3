import type { Where } from '../clients/client.js';

/** How hooks are written into a client's files. */
export interface HookSetup {
  /** How `sub` is started, as in `Routing`, and the home. */
  readonly node: string;
  readonly program: string | undefined;
  readonly home: string;
  /** Where the gateway listens, and the token that lets a client in. */
  readonly port: number;
  readonly enrolToken: string;
  /** Tools that are not called while no gateway answers. */
  readonly blockedWhenAway: readonly string[];
  /** Tools that are called again while no gateway answers, though a file says otherwise by now. */
  readonly passedWhenAway: readonly string[];
}

/** The tools that are blocked, and those of a file that stay so. */
export function blockedAfter(
  was: readonly string[],
  { blockedWhenAway, passedWhenAway }: Pick<HookSetup, 'blockedWhenAway' | 'passedWhenAway'>,
): readonly string[] {
  return [...new Set([...was, ...blockedWhenAway])].filter((tool) => !passedWhenAway.includes(tool));
}

/** One file of a client that hooks stand in. It need not exist. */
export interface HookFile {
  readonly path: string;
  /**
   * The text with our hooks, in the place of older ones of ours; every other byte as it was. Throws
   * `TextProblem`.
   */
  readonly installed: (text: string, setup: HookSetup) => string;
  /** The text without anything of ours. Throws `TextProblem`. */
  readonly removed: (text: string) => string;
  /** The hooks in a text. Throws `TextProblem`. */
  readonly contents: (text: string) => HookContents;
  /**
   * Whether a text has all of ours, as they were installed, so that the client does ask. `port`: where the
   * gateway listens; undefined where none tells. Throws `TextProblem`.
   */
  readonly isWhole: (text: string, port: number | null | undefined) => boolean;
}

/** The parts of a file, each by its name: the event of a handler, or another part. */
export interface HookContents {
  readonly ours: readonly string[];
  /** Handlers of others. */
  readonly others: readonly string[];
  /** Tools that are not called while no gateway answers. */
  readonly blockedWhenAway: readonly string[];
  /** The programs that they start, by their paths. */
  readonly starts: readonly string[];
}

/** Something that keeps hooks from being asked, and where it stands. */
export interface HookObstacle {
  readonly path: string;
  /** A lowercase sentence without its end. */
  readonly why: string;
}

/** A client whose hooks can be installed. */
export interface HookClient {
  readonly name: 'claude' | 'codex';
  readonly title: string;
  /** In the order in which they are written. A later file may depend on an earlier one as it is then. */
  readonly files: (where: Where) => readonly HookFile[];
  /** Settings that switch hooks off, or that make them another's. */
  readonly obstacles: (where: Where) => readonly HookObstacle[];
  /** Files of the project that bring hooks of their own, with the events. */
  readonly foreign: (
    where: Where,
  ) => readonly { readonly path: string; readonly events: readonly string[] }[];
  /** Tools that `blockedWhenAway` can name; empty where the client has no such way. */
  readonly canBlockWhenAway: boolean;
  /** The tools that are built into it, as far as they are known: others may be new. */
  readonly tools: readonly string[];
}
