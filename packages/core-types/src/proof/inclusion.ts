import { readSize } from './checkpoint-text.js';
import { apart, readHashes } from './proof-lines.js';

/** The proof that an entry stands under a checkpoint (C2SP tlog-proof). */
export interface Inclusion {
  /** Index of the leaf, from 0. */
  readonly index: number;
  readonly proof: readonly string[];
  readonly note: string;
}

const MAX_TEXT = 1 << 24;

/**
 * Reads where a `.tlog-proof` puts a leaf; undefined for anything else. Its entry is not read: whoever asks
 * has hashed the one that it is about.
 */
export function readInclusion(text: string): Inclusion | undefined {
  const { head, note } = (text.length > MAX_TEXT ? undefined : apart(text)) ?? { head: [], note: '' };
  const [first, extra = '', index = '', ...lines] = head;
  if (first !== 'c2sp.org/tlog-proof@v1' || !extra.startsWith('extra ')) return undefined;
  const at = index.startsWith('index ') ? readSize(index.slice('index '.length)) : undefined;
  const proof = readHashes(lines);
  return at === undefined || proof === undefined ? undefined : { index: at, proof, note };
}
