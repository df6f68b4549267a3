import { MAX_NOTE, readBase64 } from '@subluminal/core-types';
import { readSize } from '../note/checkpoint-text.js';

/**
 * A checkpoint and the proof that it continues an older one, as C2SP tlog-witness has it: the body of an
 * `add-checkpoint` request, which any witness takes, and which serves as a file just as well.
 */
export interface Growth {
  /** Size of the older tree. */
  readonly from: number;
  /** Consistency proof, lowercase hex. */
  readonly proof: readonly string[];
  /** The signed note of the newer checkpoint. */
  readonly note: string;
}

/** More hashes than a proof between trees that can be counted has. */
const MAX_PROOF = 63;

export function renderGrowth({ from, proof, note }: Growth): string {
  return `old ${from}\n${proof.map((hash) => `${Buffer.from(hash, 'hex').toString('base64')}\n`).join('')}\n${note}`;
}

/** Reads what `renderGrowth` writes; undefined for anything else. The note is not looked into. */
export function readGrowth(text: string): Growth | undefined {
  if (text.length > MAX_NOTE) return undefined;
  const gap = text.indexOf('\n\n');
  if (gap < 0) return undefined;
  const [first = '', ...lines] = text.slice(0, gap).split('\n');
  const from = first.startsWith('old ') ? readSize(first.slice(4)) : undefined;
  const hashes = lines.length > MAX_PROOF ? [] : lines.map((line) => readBase64(line, 32));
  if (from === undefined || hashes.length !== lines.length) return undefined;
  const proof = hashes.flatMap((hash) => (hash === undefined ? [] : [hash.toString('hex')]));
  return proof.length === lines.length ? { from, proof, note: text.slice(gap + 2) } : undefined;
}
