import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js';
import { base64Bytes, base64Text } from './portable-base64.js';

/** One signature line of a note. */
export interface NoteSignature {
  readonly name: string;
  /** The four bytes that tell keys of one name apart, 8 hex digits. */
  readonly keyId: string;
  readonly signature: Uint8Array;
  /** The line itself, its newline included. */
  readonly line: string;
}

/** A note as it was read. Its text means nothing until a signature of a known key has been verified. */
export interface SignedNote {
  /** The signed text: every line up to the empty one, the last newline included. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

/** The longest note that is read, in UTF-16 units: 64 signatures of the largest kind would still fit. */
export const MAX_NOTE = 1 << 19;
const MAX_SIGNATURES = 64;
/** Every control character but the newline. */
const CONTROL = /(?!\n)\p{Cc}/u;
const LONE_SURROGATE = /\p{Surrogate}/u;
const NAME = /^[^\p{White_Space}+]+$/u;

/** Tells whether a text can be the name of a key (C2SP signed-note): not empty, no space, no plus. */
export function isKeyName(text: string): boolean {
  return text.length <= 1024 && NAME.test(text);
}

/** Reads a signed note (C2SP signed-note); undefined for anything that is not one. */
export function readNote(note: string): SignedNote | undefined {
  if (note.length > MAX_NOTE || CONTROL.test(note) || LONE_SURROGATE.test(note)) return undefined;
  const gap = note.lastIndexOf('\n\n');
  if (gap < 1 || !note.endsWith('\n')) return undefined;
  const lines = note.slice(gap + 2, -1).split('\n');
  if (lines.length > MAX_SIGNATURES) return undefined;
  const signatures: NoteSignature[] = [];
  for (const line of lines) {
    const signature = readSignatureLine(line);
    if (signature === undefined) return undefined;
    signatures.push(signature);
  }
  return { text: note.slice(0, gap + 1), signatures };
}

/** Reads `— <name> <base64>` without its newline. */
export function readSignatureLine(line: string): NoteSignature | undefined {
  const [dash, name = '', blob, ...rest] = line.split(' ');
  if (dash !== '—' || blob === undefined || rest.length > 0) return undefined;
  const bytes = base64Bytes(blob);
  if (bytes === undefined || bytes.length < 5 || !isKeyName(name)) return undefined;
  return { name, keyId: bytesToHex(bytes.subarray(0, 4)), signature: bytes.subarray(4), line: `${line}\n` };
}

/** The signature line of a key, its newline included. */
export function signatureLine(name: string, keyId: string, signature: Uint8Array): string {
  return `— ${name} ${base64Text(concatBytes(hexToBytes(keyId), signature))}\n`;
}
