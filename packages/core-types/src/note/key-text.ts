import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { sha256Hex } from '../hash/portable.js';
import { base64Bytes, base64Text } from './portable-base64.js';
import { isKeyName } from './signed-note.js';

/**
 * The meaning of a key's signatures: `log`, Ed25519 over the note; `cosignature`, timestamped as C2SP
 * tlog-cosignature has it.
 */
export type KeyRole = 'log' | 'cosignature';

const TYPE_BYTE = { log: 1, cosignature: 4 } as const;

/** A public key of notes as it stands in its text, with no runtime's key object. */
export interface NoteKey {
  readonly name: string;
  readonly role: KeyRole;
  /** The 32 bytes of the Ed25519 public key. */
  readonly raw: Uint8Array;
  /** 8 hex digits. */
  readonly keyId: string;
}

/** The key of a name, a role and 32 bytes, with its id (C2SP signed-note). */
export function noteKey(name: string, role: KeyRole, raw: Uint8Array): NoteKey {
  const hash = sha256Hex(concatBytes(utf8ToBytes(`${name}\n`), Uint8Array.of(TYPE_BYTE[role]), raw));
  return { name, role, raw, keyId: hash.slice(0, 8) };
}

/** The key as one word, `<name>+<key id>+<base64 of type and key>` (C2SP signed-note, "Verifier keys"). */
export function renderKeyText({ name, role, raw, keyId }: NoteKey): string {
  return `${name}+${keyId}+${base64Text(concatBytes(Uint8Array.of(TYPE_BYTE[role]), raw))}`;
}

/** Reads what `renderKeyText` writes; undefined for any other text, and where the key id is not the key's. */
export function readKeyText(text: string): NoteKey | undefined {
  const [name = '', keyId = '', ...rest] = text.split('+');
  const material = base64Bytes(rest.join('+'), 33);
  if (material === undefined || !isKeyName(name)) return undefined;
  const role =
    material[0] === TYPE_BYTE.log ? 'log' : material[0] === TYPE_BYTE.cosignature ? 'cosignature' : null;
  if (role === null) return undefined;
  const key = noteKey(name, role, material.subarray(1));
  return key.keyId === keyId ? key : undefined;
}
