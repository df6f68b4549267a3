import type { Database } from 'better-sqlite3';
import type { KeyObject } from 'node:crypto';
import { KINDS } from '../entry/kinds.js';
import type { Genesis } from '../genesis/record.js';
import { publicKeyFromRaw } from '@subluminal/core-types';
import { openRestored } from '../restore/record.js';
import type { Base } from '../segments/base.js';
import { isSealedBy, readSeal } from './record.js';

/** The newest seal up to some entry, and the key that it puts in force. */
export interface SealState {
  /** 0 before the first seal. */
  readonly n: number;
  /** Seq of its entry; where the file begins before its first. */
  readonly seq: number;
  readonly key: KeyObject;
}

/**
 * The newest seal among the entries up to `upTo`, checked against its predecessor alone: number, place and
 * signature. A restore behind it puts another key in force, which the log key signed. The whole walk is the
 * verification's.
 *
 * @returns the state, or a sentence on what contradicts itself.
 */
export function newestSeal(db: Database, genesis: Genesis, base: Base, upTo: number): SealState | string {
  const { ledgerId } = genesis;
  const newest = stored(db, 'kind IN (50,54)', upTo);
  if (newest === undefined) return startOf(base);
  if (newest.kind === KINDS.restored) return behindRestore(db, genesis, base, newest);
  const seal = readSeal(newest.data);
  if (seal === undefined) return `entry ${newest.seq} is no seal`;
  const before = stored(db, 'kind IN (50,54)', newest.seq - 1);
  const previous =
    before?.kind === KINDS.restored
      ? behindRestore(db, genesis, base, before)
      : before === undefined
        ? startOf(base)
        : stateOf(before);
  if (typeof previous === 'string') return previous;
  const { n, size } = seal;
  if (n !== previous.n + 1 || size !== newest.seq - 1) return `seal ${n} is not in its place`;
  if (!isSealedBy(ledgerId, seal, previous.key))
    return `seal ${n} is not signed by the key that its predecessor names`;
  return { n, seq: newest.seq, key: keyOf(seal.nextKey) };
}

interface StoredEntry {
  readonly seq: number;
  readonly kind: number;
  readonly data: string;
}

function stored(db: Database, kinds: 'kind IN (50,54)' | 'kind = 50', upTo: number): StoredEntry | undefined {
  return db
    .prepare<[number], StoredEntry>(
      `SELECT seq, kind, body->'$.data' AS data FROM entry WHERE ${kinds} AND kind NOT IN (2,3,4,20,21) AND seq <= ?
      ORDER BY seq DESC LIMIT 1`,
    )
    .get(upTo);
}

/** Seals are counted on across a restore; only the key is another. */
function behindRestore(db: Database, genesis: Genesis, base: Base, entry: StoredEntry): SealState | string {
  const restored = openRestored(genesis.ledgerId, entry.data, genesis.publicKey);
  if (restored === undefined || restored.size !== entry.seq - 1)
    return `entry ${entry.seq} is no restore that the log key signed`;
  const before = stored(db, 'kind = 50', entry.seq);
  const state = before === undefined ? startOf(base) : stateOf(before);
  return typeof state === 'string' ? state : { ...state, key: keyOf(restored.sealKey) };
}

function startOf(base: Base): SealState {
  return { n: base.seals, seq: base.seq, key: base.sealKey };
}

function stateOf({ seq, data }: StoredEntry): SealState | string {
  const seal = readSeal(data);
  return seal === undefined ? `entry ${seq} is no seal` : { n: seal.n, seq, key: keyOf(seal.nextKey) };
}

function keyOf(text: string): KeyObject {
  return publicKeyFromRaw(Buffer.from(text, 'base64'));
}
