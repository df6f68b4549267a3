import type { JsonObject } from '@subluminal/core-types';
import type { CodeName, EntryType } from './kinds.js';

/** An entry that `ref` points to: its seq, or its index in the same group. */
export type EntryRef = number | { readonly entry: number };

/** One entry to append. */
export interface EntryInput {
  readonly type: EntryType;
  /** Epoch milliseconds, integer. */
  readonly ts: number;
  /** null: an entry of the gateway itself. System entries form a chain of their own. */
  readonly runId: string | null;
  /** `[server, tool]` of a tool call, or the name of an action. */
  readonly tool?: null | string | readonly [string, string];
  readonly code?: CodeName | null;
  /**
   * Omitted on a `tool_call_decision` or `tool_call_end`: the nearest earlier entry of the group that the
   * kind may refer to, of the same run. null: none.
   */
  readonly ref?: EntryRef | null;
  /**
   * The type's own fields under the names of the contract. No top-level key starts with `#` or a character
   * before it.
   */
  readonly data: JsonObject;
  /**
   * Large text by slot, a dotted field path such as `call.preview.args_preview`. Stored beside the entry; the
   * body commits to each by salted hash, length and state. Under load it may be dropped, and the entry then
   * says so.
   */
  readonly blobs?: Readonly<Record<string, string>>;
}

/** Entries that become durable together or not at all. */
export interface AppendGroup {
  readonly entries: readonly EntryInput[];
  /** Keeps no blobs of this group; its entries say so. */
  readonly dropPreviews?: 'budget';
  /**
   * Claims a request id for its run in the same commit. It is tied to the group's first decision, pending or
   * rejection, else to its last entry.
   */
  readonly seen?: { readonly runId: string | null; readonly id: string };
}

/** Where an entry stands: its number and its leaf hash in lowercase hex. */
export interface EntryPosition {
  readonly seq: number;
  readonly leaf: string;
}

/**
 * The outcome for a group. `seen`: the id was claimed before, by `seq`. `ref`: what it refers to was referred
 * to before.
 */
export type AppendResult =
  | { readonly ok: true; readonly entries: readonly EntryPosition[] }
  | { readonly ok: false; readonly conflict: 'seen'; readonly seq: number }
  | { readonly ok: false; readonly conflict: 'ref' };
