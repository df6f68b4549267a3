import { sha256Hex, preimage } from '@subluminal/core-types';

/** An entry that a proof is about, with what its leaf is computed from. */
export interface ProvenEntry {
  readonly ledgerId: string;
  readonly seq: number;
  /** Leaf of the entry before it, or the genesis fingerprint; lowercase hex. */
  readonly prev: string;
  /** The stored body. */
  readonly body: string;
}

/** How such a file begins. */
export const FIRST_LINE = 'c2sp.org/tlog-proof@v1';

/**
 * Renders the proof that an entry stands under a checkpoint (C2SP tlog-proof). The extra data is the record
 * of RFC 6962 itself, the preimage of the leaf without its leading NUL: who has the file needs nothing else
 * to recompute the leaf.
 */
export function renderTlogProof(entry: ProvenEntry, proof: readonly string[], note: string): string {
  const hashes = proof.map((hash) => `${Buffer.from(hash, 'hex').toString('base64')}\n`);
  const extra = Buffer.from(record(entry)).toString('base64');
  return `${FIRST_LINE}\nextra ${extra}\nindex ${entry.seq - 1}\n${hashes.join('')}\n${note}`;
}

/** The leaf of an entry, lowercase hex. */
export function leafOf(entry: ProvenEntry): string {
  return sha256Hex(`\0${record(entry)}`);
}

function record({ ledgerId, seq, prev, body }: ProvenEntry): string {
  return preimage(ledgerId, seq, prev, body).slice(1);
}
