import { bytesToHex } from '@noble/hashes/utils.js';
import { base64Bytes } from '../note/portable-base64.js';

/** More hashes than a proof between trees that can be counted has. */
const MAX_HASHES = 63;

/** The lines of a proof's file before the first empty one, and the note behind it. Undefined without one. */
export function apart(text: string): { readonly head: readonly string[]; readonly note: string } | undefined {
  const gap = text.indexOf('\n\n');
  return gap < 0 ? undefined : { head: text.slice(0, gap).split('\n'), note: text.slice(gap + 2) };
}

/** Hashes of base64, a line each, as lowercase hex; undefined where one is none, and for too many. */
export function readHashes(lines: readonly string[]): readonly string[] | undefined {
  if (lines.length > MAX_HASHES) return undefined;
  const hashes = lines.flatMap((line) => base64Bytes(line, 32) ?? []).map((hash) => bytesToHex(hash));
  return hashes.length === lines.length ? hashes : undefined;
}
