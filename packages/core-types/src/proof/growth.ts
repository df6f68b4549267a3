import { hexToBytes } from '@noble/hashes/utils.js';
import { base64Text } from '../note/portable-base64.js';
import { MAX_NOTE } from '../note/signed-note.js';
import { readSize } from './checkpoint-text.js';
import { apart, readHashes } from './proof-lines.js';

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

export function renderGrowth({ from, proof, note }: Growth): string {
  return `old ${from}\n${proof.map((hash) => `${base64Text(hexToBytes(hash))}\n`).join('')}\n${note}`;
}

/** Reads what `renderGrowth` writes; undefined for anything else. The note is not looked into. */
export function readGrowth(text: string): Growth | undefined {
  if (text.length > MAX_NOTE) return undefined;
  const { head, note } = apart(text) ?? { head: [], note: '' };
  const [first = '', ...lines] = head;
  const from = first.startsWith('old ') ? readSize(first.slice(4)) : undefined;
  const proof = readHashes(lines);
  return from === undefined || proof === undefined ? undefined : { from, proof, note };
}
