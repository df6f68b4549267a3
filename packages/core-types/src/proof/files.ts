import { bytesToHex } from '@noble/hashes/utils.js';
import { base64Bytes } from '../note/portable-base64.js';
import { sizeIn } from './checkpoint.js';

/** The proof that a checkpoint continues an older one (`add-checkpoint` of C2SP tlog-witness). */
export interface GrowthSaid {
  /** Size of the older tree. */
  readonly from: number;
  /** Lowercase hex. */
  readonly proof: readonly string[];
  /** The signed note of the newer checkpoint. */
  readonly note: string;
}

/** The proof that an entry stands under a checkpoint (C2SP tlog-proof). */
export interface InclusionSaid {
  /** Index of the leaf, from 0. */
  readonly index: number;
  readonly proof: readonly string[];
  readonly note: string;
}

/** More hashes than a proof between trees that can be counted has. */
const MAX_HASHES = 63;
const MAX_TEXT = 1 << 24;

/** Reads a growth proof; undefined for anything else. The note is not looked into. */
export function growthIn(text: string): GrowthSaid | undefined {
  const [head, note] = apart(text);
  const [first = '', ...lines] = head;
  const from = first.startsWith('old ') ? sizeIn(first.slice(4)) : undefined;
  const proof = hashesIn(lines);
  return from === undefined || proof === undefined ? undefined : { from, proof, note };
}

/**
 * Reads where a `.tlog-proof` puts a leaf; undefined for anything else. Its entry is not read: whoever asks
 * has hashed the one that it is about.
 */
export function inclusionIn(text: string): InclusionSaid | undefined {
  const [head, note] = apart(text);
  const [first, extra = '', index = '', ...lines] = head;
  if (first !== 'c2sp.org/tlog-proof@v1' || !extra.startsWith('extra ')) return undefined;
  const at = index.startsWith('index ') ? sizeIn(index.slice('index '.length)) : undefined;
  const proof = hashesIn(lines);
  return at === undefined || proof === undefined ? undefined : { index: at, proof, note };
}

/** The lines before the first empty one, and the text behind it. */
function apart(text: string): readonly [readonly string[], string] {
  const gap = text.length > MAX_TEXT ? -1 : text.indexOf('\n\n');
  return gap < 0 ? [[], ''] : [text.slice(0, gap).split('\n'), text.slice(gap + 2)];
}

function hashesIn(lines: readonly string[]): readonly string[] | undefined {
  if (lines.length > MAX_HASHES) return undefined;
  const hashes = lines.map((line) => base64Bytes(line, 32));
  return hashes.every((hash) => hash !== undefined) ? hashes.map((hash) => bytesToHex(hash)) : undefined;
}
