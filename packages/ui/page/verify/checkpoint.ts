import {
  readCheckpointText,
  readGrowth,
  readInclusion,
  noteClaims,
  type NoteKey,
  readKeyText,
  readNote,
  verifyConsistency,
  verifyInclusion,
  type CheckpointText,
} from '@subluminal/core-types/portable';

/** A checkpoint that this browser saw, and the key that signed it: one more memory outside of the home. */
export interface Remembered {
  readonly key: string;
  readonly note: string;
}

/** The verdict on a checkpoint: what it says, or in words why it is not to be believed. */
export type HeadVerdict =
  | { readonly ok: true; readonly size: number; readonly root: string; readonly continues: number | null }
  | { readonly ok: false; readonly why: string };

/** A head as the gateway tells it, and what to hold it against. */
export interface HeadQuestion {
  readonly ledger: string;
  readonly key: string;
  readonly note: string;
  readonly growth: string | null;
  readonly remembered: Remembered | null;
}

/**
 * Checks the signature on a checkpoint, and that it continues the one that is remembered: by the same key, of
 * the same ledger, no smaller, and by a proof of consistency (RFC 9162 §2.1.4).
 */
export async function judgeHead(asked: HeadQuestion): Promise<HeadVerdict> {
  const { remembered } = asked;
  if (remembered !== null && remembered.key !== asked.key)
    return no('the key that signs this record is another one than this browser saw before');
  const head = await opened(asked.note, asked.key, asked.ledger);
  if (typeof head === 'string') return no(head);
  if (remembered === null) return { ok: true, size: head.size, root: head.root, continues: null };
  const old = await opened(remembered.note, remembered.key, asked.ledger);
  if (typeof old === 'string') return no(`the checkpoint that this browser remembers cannot be read: ${old}`);
  if (head.size < old.size)
    return no(`the record ends at entry ${head.size}, and this browser saw entry ${old.size} of it`);
  return continues(asked, head, old);
}

/** Checks that a leaf stands at the place of its entry under a checkpoint that was signed. */
export async function judgeLeaf(
  proofText: string,
  leaf: string,
  seq: number,
  key: string,
  ledger: string,
): Promise<HeadVerdict> {
  const said = readInclusion(proofText);
  if (said === undefined) return no('the proof cannot be read');
  const head = await opened(said.note, key, ledger);
  if (typeof head === 'string') return no(head);
  const { size, root } = head;
  const stands =
    said.index === seq - 1 && verifyInclusion({ index: said.index, size, leaf, root, proof: said.proof });
  return stands
    ? { ok: true, size, root, continues: null }
    : no(`entry ${seq} is not the one that stands under the signed checkpoint of ${size} entries`);
}

function continues(asked: HeadQuestion, head: CheckpointText, old: CheckpointText): HeadVerdict {
  if (head.size === old.size)
    return head.root === old.root
      ? { ok: true, size: head.size, root: head.root, continues: old.size }
      : no(`two records of ${head.size} entries are not the same: one of them was rewritten`);
  const growth = asked.growth === null ? undefined : readGrowth(asked.growth);
  if (growth === undefined || growth.from !== old.size || growth.note !== asked.note)
    return no(`there is no proof that the record still holds the ${old.size} entries seen before`);
  const grew = verifyConsistency({
    from: old.size,
    to: head.size,
    oldRoot: old.root,
    newRoot: head.root,
    proof: growth.proof,
  });
  return grew
    ? { ok: true, size: head.size, root: head.root, continues: old.size }
    : no(`the record does not continue the ${old.size} entries that this browser saw`);
}

/** The checkpoint of a note that the log's key signed, or why there is none. */
async function opened(note: string, keyText: string, ledger: string): Promise<CheckpointText | string> {
  const read = readNote(note);
  const key = readKeyText(keyText);
  if (read === undefined || key === undefined || key.role !== 'log') return 'it is not a signed checkpoint';
  const said = readCheckpointText(read.text);
  if (said === undefined) return 'it is not a checkpoint';
  if (said.origin !== `subluminal/${ledger}` || key.name !== said.origin)
    return 'it speaks of another ledger';
  const claims = noteClaims(read, key);
  if (claims.length === 0) return 'the log has not signed it';
  for (const claim of claims) {
    if (claim === 'unreadable' || !(await isSigned(key, claim.message, claim.signature)))
      return 'its signature does not verify';
  }
  return said;
}

async function isSigned({ raw }: NoteKey, message: Uint8Array, signature: Uint8Array): Promise<boolean> {
  const key = await crypto.subtle.importKey('raw', plain(raw), 'Ed25519', false, ['verify']);
  return crypto.subtle.verify('Ed25519', key, plain(signature), plain(message));
}

/** The same bytes in a buffer of their own, as WebCrypto's types ask for. */
function plain(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes);
}

function no(why: string): HeadVerdict {
  return { ok: false, why };
}
