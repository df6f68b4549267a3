import { createHash, sign, verify, type KeyObject } from 'node:crypto';
import { publicKeyFromRaw, rawPublicKey } from './raw-key.js';
import { readBase64 } from './base64.js';
import { isKeyName, signatureLine, type NoteSignature, type SignedNote } from './signed-note.js';

/**
 * The meaning of a key's signatures: `log`, Ed25519 over the note; `cosignature`, timestamped as C2SP
 * tlog-cosignature has it.
 */
export type KeyRole = 'log' | 'cosignature';

const TYPE_BYTE = { log: 1, cosignature: 4 } as const;

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
  const hash = createHash('sha256')
    .update(`${name}\n`)
    .update(Uint8Array.of(TYPE_BYTE[role]))
    .update(rawPublicKey(publicKey));
  return { name, role, publicKey, keyId: hash.digest('hex').slice(0, 8) };
}

/** The key as one word, `<name>+<key id>+<base64 of type and key>` (C2SP signed-note, "Verifier keys"). */
export function renderVerifierKey({ name, role, publicKey, keyId }: VerifierKey): string {
  const material = Buffer.concat([Uint8Array.of(TYPE_BYTE[role]), rawPublicKey(publicKey)]);
  return `${name}+${keyId}+${material.toString('base64')}`;
}

/**
 * Reads what `renderVerifierKey` writes; undefined for any other text, and where the key id is not the key's.
 */
export function readVerifierKey(text: string): VerifierKey | undefined {
  const [name = '', keyId = '', ...rest] = text.split('+');
  const material = readBase64(rest.join('+'), 33);
  if (material === undefined || !isKeyName(name)) return undefined;
  const role =
    material[0] === TYPE_BYTE.log ? 'log' : material[0] === TYPE_BYTE.cosignature ? 'cosignature' : null;
  if (role === null) return undefined;
  const key = verifierKey(name, role, publicKeyFromRaw(material.subarray(1)));
  return key.keyId === keyId ? key : undefined;
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
  for (const signature of note.signatures) {
    if (signature.name !== key.name || signature.keyId !== key.keyId) continue;
    // None in a log's own: what verifies there has 64 bytes.
    const timeS = timestampOf(signature);
    const isGood =
      key.role === 'log'
        ? verify(null, Buffer.from(note.text), key.publicKey, signature.signature)
        : timeS !== null &&
          verify(null, cosignedText(note.text, timeS), key.publicKey, signature.signature.subarray(8));
    if (!isGood) return 'wrong';
    found = { line: signature.line, timeS };
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
  const signature = sign(null, cosignedText(text, timeS), privateKey);
  return signatureLine(key.name, key.keyId, Buffer.concat([stamp, signature]));
}

function cosignedText(text: string, timeS: number): Buffer {
  return Buffer.from(`cosignature/v1\ntime ${timeS}\n${text}`);
}

/**
 * Seconds since the epoch; null where it is no cosignature, or names a time that no clock of ours reaches.
 */
function timestampOf({ signature }: NoteSignature): number | null {
  if (signature.length !== 72) return null;
  const time = signature.readBigUInt64BE();
  return time <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(time) : null;
}
