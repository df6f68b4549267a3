/** An entry as its leaf is computed from it. */
export interface HashedEntry {
  readonly ledger: string;
  readonly seq: number;
  /** Leaf of the entry before it, or the genesis fingerprint; lowercase hex. */
  readonly prev: string;
  /** The stored body. */
  readonly body: string;
}

/**
 * The text whose SHA-256, as UTF-8, is both the chain link and the leaf of RFC 6962 (docs/format.md). Twin of
 * the ledger's `preimage`.
 */
export function leafText({ ledger, seq, prev, body }: HashedEntry): string {
  return `\0subl/entry/v1\n${ledger}\n${seq}\n${prev}\n${body}`;
}
