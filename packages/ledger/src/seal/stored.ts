import type { Database } from 'better-sqlite3';
import type { KeyObject } from 'node:crypto';
import { publicKeyFromRaw } from '../head/note.js';
import type { Base } from '../segments/base.js';
import { isSealedBy, readSeal, type SignedSeal } from './record.js';

/** The newest seal up to some entry, and the key that it puts in force. */
export interface SealState {
  /** 0 before the first seal. */
  readonly n: number;
  /** Seq of its entry; where the file begins before its first. */
  readonly seq: number;
  readonly key: KeyObject;
}

/**
 * The newest seal among the entries up to `upTo`, checked against its predecessor alone: number, place and signature.
 * The whole walk is the verification's.
 *
 * @returns the state, or a sentence on what contradicts itself.
 */
export function newestSeal(db: Database, ledgerId: string, base: Base, upTo: number): SealState | string {
  const rows = db
    .prepare<[number], { seq: number; data: string }>(
      `SELECT seq, body->'$.data' AS data FROM entry WHERE kind = 50 AND kind NOT IN (2,3,4,20,21) AND seq <= ?
      ORDER BY seq DESC LIMIT 2`,
    )
    .all(upTo);
  const [newest, before] = rows.map((row) => ({ seq: row.seq, seal: readSeal(row.data) }));
  const start = { n: base.seals, seq: base.seq, key: base.sealKey };
  if (newest === undefined) return start;
  const previous = before === undefined ? start : stateOf(before.seq, before.seal);
  if (newest.seal === undefined || previous === undefined) return `entry ${newest.seq} is no seal`;
  const { n, size } = newest.seal;
  if (n !== previous.n + 1 || size !== newest.seq - 1) return `seal ${n} is not in its place`;
  if (!isSealedBy(ledgerId, newest.seal, previous.key))
    return `seal ${n} is not signed by the key that its predecessor names`;
  return { n, seq: newest.seq, key: keyOf(newest.seal) };
}

function stateOf(seq: number, seal: SignedSeal | undefined): SealState | undefined {
  return seal === undefined ? undefined : { n: seal.n, seq, key: keyOf(seal) };
}

function keyOf(seal: SignedSeal): KeyObject {
  return publicKeyFromRaw(Buffer.from(seal.nextKey, 'base64'));
}
