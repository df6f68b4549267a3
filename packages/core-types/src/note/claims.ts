import { utf8ToBytes } from '@noble/hashes/utils.js';
import type { NoteKey } from './key-text.js';
import type { NoteSignature, SignedNote } from './signed-note.js';

/** A signature line of one key on a note: the bytes that it says it signs, and the Ed25519 signature. */
export interface NoteClaim {
  /** The line itself, its newline included. */
  readonly line: string;
  /** When a cosigner made it, in seconds; null for a log's own. */
  readonly timeS: number | null;
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
}

/**
 * The claims of a key on a note; `unreadable` in place of one that is no signature of the key's role. One
 * that does not verify, or is unreadable, refuses the whole note (C2SP signed-note).
 */
export function noteClaims(
  note: SignedNote,
  key: Pick<NoteKey, 'name' | 'role' | 'keyId'>,
): (NoteClaim | 'unreadable')[] {
  return note.signatures
    .filter(({ name, keyId }) => name === key.name && keyId === key.keyId)
    .map((signature) => (key.role === 'log' ? ownClaim(note, signature) : cosignedClaim(note, signature)));
}

/** The bytes that a cosigner signs (C2SP tlog-cosignature, Ed25519). */
export function cosignedBytes(text: string, timeS: number): Uint8Array {
  return utf8ToBytes(`cosignature/v1\ntime ${timeS}\n${text}`);
}

function ownClaim({ text }: SignedNote, { line, signature }: NoteSignature): NoteClaim {
  return { line, timeS: null, message: utf8ToBytes(text), signature };
}

function cosignedClaim({ text }: SignedNote, { line, signature }: NoteSignature): NoteClaim | 'unreadable' {
  if (signature.length !== 72) return 'unreadable';
  const time = new DataView(signature.buffer, signature.byteOffset).getBigUint64(0);
  // No clock of ours reaches a later time.
  if (time > BigInt(Number.MAX_SAFE_INTEGER)) return 'unreadable';
  const timeS = Number(time);
  return { line, timeS, message: cosignedBytes(text, timeS), signature: signature.subarray(8) };
}
