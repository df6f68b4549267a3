import type { Database } from 'better-sqlite3';
import type { KeyObject } from 'node:crypto';
import type { Genesis } from '../genesis/record.js';
import { publicKeyFromRaw, rawPublicKey } from '@subluminal/core-types';
import { Frontier } from '../merkle/frontier.js';

/** Where a file of the ledger begins: the state behind the last entry of the file before it. */
export interface Base {
  /** 1 for the first file. */
  readonly segment: number;
  /** The last entry before this file; 0 in the first. */
  readonly seq: number;
  /** Its leaf; the genesis fingerprint in the first. */
  readonly leaf: string;
  readonly frontier: Frontier;
  /** Number of the newest seal, which is entry `seq` itself; 0 in the first. */
  readonly seals: number;
  /** The seal key in force. */
  readonly sealKey: KeyObject;
}

interface BaseRow {
  readonly segment: number;
  readonly seq: number;
  readonly leaf: Buffer;
  readonly frontier: Buffer;
  readonly seals: number;
  readonly seal_key: Buffer;
}

/** The base of a ledger's first file. */
export function firstBase(genesis: Genesis): Base {
  return {
    segment: 1,
    seq: 0,
    leaf: genesis.fingerprint,
    frontier: new Frontier(),
    seals: 0,
    sealKey: genesis.sealKey,
  };
}

/** Reads the base of a file; undefined where there is none or it is not one. */
export function readBase(db: Database): Base | undefined {
  const row = db
    .prepare<[], BaseRow>('SELECT segment, seq, leaf, frontier, seals, seal_key FROM base WHERE id = 1')
    .get();
  if (row === undefined || row.leaf.length !== 32 || row.seal_key.length !== 32) return undefined;
  const frontier = Frontier.fromBytes(row.seq, row.frontier);
  if (frontier === undefined) return undefined;
  const { segment, seq, leaf, seals, seal_key: sealKey } = row;
  return { segment, seq, leaf: leaf.toString('hex'), frontier, seals, sealKey: publicKeyFromRaw(sealKey) };
}

/** Writes the base into a new file, before its first entry. */
export function writeBase(db: Database, base: Base): void {
  db.prepare('INSERT INTO base VALUES(1, ?, ?, ?, ?, ?, ?)').run(
    base.segment,
    base.seq,
    Buffer.from(base.leaf, 'hex'),
    base.frontier.toBytes(),
    base.seals,
    rawPublicKey(base.sealKey),
  );
}
