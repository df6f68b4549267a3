import { canonicalize, sha256Hex } from '@subluminal/core-types';
import type { Database } from 'better-sqlite3';
import { KINDS } from '../entry/kinds.js';
import { keyText } from '../seal/record.js';
import type { Base } from './base.js';
import type { Carried } from './carried.js';

/** Data of the entry that ends a file: canonical JSON. Behind it stands a seal, and nothing else. */
export function closedData(segment: number): string {
  return canonicalize({ segment });
}

/**
 * Data of the first entry of a file that goes on from another: it commits to all that the file begins with.
 */
export function openedData(base: Base, carried: Carried): string {
  return canonicalize({ base: successionHash(base, carried), segment: base.segment });
}

/**
 * SHA-256, lowercase hex, over `subl/segment/v1\n` and the canonical JSON of what a file begins with: place,
 * leaf, tree and seals of the file before it, the entries that may still be referred to, and the chains that
 * go on.
 */
function successionHash(base: Base, { entries, runs }: Carried): string {
  const text = canonicalize({
    carried: entries.map(({ seq, kind, code, run }) => [seq, kind, code, run]),
    frontier: base.frontier.toBytes().toString('base64'),
    leaf: base.leaf,
    runs: runs.map(({ run, next, last }) => [run, next, last]),
    seal_key: keyText(base.sealKey),
    seals: base.seals,
    segment: base.segment,
    seq: base.seq,
  });
  return sha256Hex(`subl/segment/v1\n${text}`);
}

/** Whether a file has ended: its last entries are the one that says so and the seal over it. */
export function hasEnded(db: Database): boolean {
  const kinds = db.prepare<[], number>('SELECT kind FROM entry ORDER BY seq DESC LIMIT 2').pluck().all();
  return kinds[0] === KINDS.seal && kinds[1] === KINDS.segment_closed;
}
