import type { JsonObject } from '@subluminal/core-types/portable';

/** By which ways the newest runs reached the gateway: so many of each client's. */
export interface Coverage {
  readonly runs: number;
  readonly clients: readonly {
    readonly client: string;
    readonly runs: number;
    /** Its hooks were heard, servers of it ran behind the gateway, it had a world, connections passed. */
    readonly hooks: number;
    readonly servers: number;
    readonly worlds: number;
    readonly net: number;
  }[];
  /** Otherwise there may be more. */
  readonly is_whole: boolean;
}

/** A wing of the gateway by its name, and what it does as it is set now. */
export interface GuardSays {
  readonly name: string;
  readonly says: string;
}

/** The state of the record and of what guards it. Objects are those of `sub status --json`. */
export interface Health {
  readonly ledger: JsonObject;
  /** Anchors outside of the home, newest first. */
  readonly anchors: readonly { readonly seq: number; readonly ts: number; readonly facts: JsonObject }[];
  /** Each wing of the gateway. */
  readonly guards: readonly GuardSays[];
  /** Sentences on the paths around the gateway, as its settings are. */
  readonly around: readonly string[];
  /** The entries that the newest seal covers, and the newest entry. */
  readonly sealed: number;
  readonly newest: number;
  /** The path of the memory outside of the ledger; empty where it has none. */
  readonly heads_log: string;
  readonly config: JsonObject;
  readonly coverage: Coverage;
  readonly room: {
    readonly budget: string;
    readonly used: number;
    readonly most: number;
    readonly queue_depth: number;
    readonly previews: number;
    readonly expired_up_to: number;
  };
  /** Files of the ledger that are not there. */
  readonly missing: readonly string[];
}

/** The newest signed head, and that it continues an older one. */
export interface Head {
  /** A signed checkpoint (C2SP tlog-checkpoint). */
  readonly note: string;
  readonly size: number;
  /** Base64, as the note has it. */
  readonly root: string;
  readonly ledger: string;
  /** The log's key as one word (C2SP signed-note): what is pinned. */
  readonly key: string;
  /** Proof that it continues `older`, as an `add-checkpoint` request; null where none was asked for. */
  readonly growth: string | null;
}

/** The `.tlog-proof` of one entry. */
export interface Proof {
  readonly seq: number;
  readonly proof: string;
}

/** Entries as they are hashed: leaf = SHA-256(`\0subl/entry/v1\n` ledger `\n` seq `\n` prev `\n` body). */
export interface RawPage {
  readonly ledger: string;
  /** The leaf before the first entry, lowercase hex. */
  readonly prev: string;
  readonly entries: readonly { readonly seq: number; readonly body: string; readonly leaf: string }[];
}
