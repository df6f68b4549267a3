import { sign, verify, type KeyObject } from 'node:crypto';
import { cosignedBytes, noteClaims } from './claims.js';
import { type KeyRole, noteKey, readKeyText, renderKeyText } from './key-text.js';
import { publicKeyFromRaw, rawPublicKey } from './raw-key.js';
import { signatureLine, type SignedNote } from './signed-note.js';

/** A key that notes are verified with. */
export interface VerifierKey {
  readonly name: string;
  readonly role: KeyRole;
  readonly publicKey: KeyObject;
  /** 8 hex digits. */
  readonly keyId: string;
}

/** A verifier key of an Ed25519 public key. */
export function verifierKey(name: string, role: KeyRole, publicKey: KeyObject): VerifierKey {
  return { name, role, publicKey, keyId: noteKey(name, role, rawPublicKey(publicKey)).keyId };
}

/** The key as one word, `<name>+<key id>+<base64 of type and key>` (C2SP signed-note, "Verifier keys"). */
export function renderVerifierKey({ publicKey, ...key }: VerifierKey): string {
  return renderKeyText({ ...key, raw: rawPublicKey(publicKey) });
}

/**
 * Reads what `renderVerifierKey` writes; undefined for any other text, and where the key id is not the key's.
 */
export function readVerifierKey(text: string): VerifierKey | undefined {
  const key = readKeyText(text);
  if (key === undefined) return undefined;
  const { raw, ...named } = key;
  return { ...named, publicKey: publicKeyFromRaw(raw) };
}

/** A signature that was verified. `timeS`: when a cosigner made it, in seconds; null for a log's own. */
export interface Verified {
  readonly line: string;
  readonly timeS: number | null;
}

/**
 * Looks for the key's signature on a note. `absent`: there is none. `wrong`: there is one that does not
 * verify, and then the whole note is to be refused (C2SP signed-note).
 */
export function verifyNote(note: SignedNote, key: VerifierKey): Verified | 'absent' | 'wrong' {
  let found: Verified | 'absent' = 'absent';
  for (const claim of noteClaims(note, key)) {
    if (claim === 'unreadable') return 'wrong';
    if (!verify(null, claim.message, key.publicKey, claim.signature)) return 'wrong';
    found = { line: claim.line, timeS: claim.timeS };
  }
  return found;
}

/** A log's own signature line over a note's text. */
export function signNote(text: string, name: string, privateKey: KeyObject, publicKey: KeyObject): string {
  const { keyId } = verifierKey(name, 'log', publicKey);
  return signatureLine(name, keyId, sign(null, Buffer.from(text), privateKey));
}

/** A witness's signature line over a checkpoint's text, made at `timeS` (C2SP tlog-cosignature, Ed25519). */
export function cosignNote(text: string, timeS: number, key: VerifierKey, privateKey: KeyObject): string {
  const stamp = Buffer.alloc(8);
  stamp.writeBigUInt64BE(BigInt(timeS));
  const signature = sign(null, cosignedBytes(text, timeS), privateKey);
  return signatureLine(key.name, key.keyId, Buffer.concat([stamp, signature]));
}
