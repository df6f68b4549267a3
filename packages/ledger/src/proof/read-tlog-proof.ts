import { readBase64, readSize } from '@subluminal/core-types';
import { FIRST_LINE, renderTlogProof, type ProvenEntry } from './tlog-proof.js';

/** What a `.tlog-proof` file of one entry says. Nothing of it is verified. */
export interface TlogProof {
  readonly entry: ProvenEntry;
  /** Hashes of the inclusion proof, lowercase hex. */
  readonly proof: readonly string[];
  /** The signed note of the checkpoint. */
  readonly note: string;
}

const MAX_HASHES = 63;
const RECORD = /^subl\/entry\/v1\n([A-Za-z0-9_-]{1,64})\n([0-9]{1,16})\n([0-9a-f]{64})\n/;

/** Reads such a file; undefined unless it is, byte for byte, what `renderTlogProof` writes. */
export function readTlogProof(text: string): TlogProof | undefined {
  const gap = text.indexOf('\n\n');
  if (gap === -1) return undefined;
  const [first, extra = '', , ...hashes] = text.slice(0, gap).split('\n');
  if (first !== FIRST_LINE || !extra.startsWith('extra ') || hashes.length > MAX_HASHES) return undefined;
  const record = Buffer.from(extra.slice('extra '.length), 'base64').toString('utf8');
  const [whole = '', ledgerId = '', number = '', prev = ''] = RECORD.exec(record) ?? [];
  const seq = readSize(number);
  if (whole === '' || seq === undefined || seq === 0) return undefined;
  const proof = hashes.map((hash) => readBase64(hash, 32)?.toString('hex') ?? '');
  const read = {
    entry: { ledgerId, seq, prev, body: record.slice(whole.length) },
    proof,
    note: text.slice(gap + 2),
  };
  return renderTlogProof(read.entry, proof, read.note) === text ? read : undefined;
}
