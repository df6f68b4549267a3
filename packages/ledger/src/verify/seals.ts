import type { KeyObject } from 'node:crypto';
import type { Genesis } from '../genesis/record.js';
import { publicKeyFromRaw } from '@subluminal/core-types';
import { openRestored } from '../restore/record.js';
import { isSealedBy, readSeal } from '../seal/record.js';
import { SEAL_ENTRIES } from '../seal/sealer.js';
import type { Base } from '../segments/base.js';
import type { GrowingTree } from './growing-tree.js';
import type { Finding } from './report.js';

/** A commit seals what it finds due: no more entries than the largest commit holds can come on top. */
const MAX_GAP = SEAL_ENTRIES + 8192;

/** A restore that the walk came by. */
export interface WalkedRestore {
  readonly seq: number;
  readonly ts: number;
  readonly size: number;
  readonly knownSize: number;
  readonly reason: string;
}

/**
 * Walks the seals in their order: each stands in its place, has the root of all before it, and is signed by
 * the key that its predecessor named, the first by the key of the genesis record. So nobody can seal an old
 * range again, whatever later key is stolen.
 */
export class SealWalk {
  readonly #genesis: Genesis;
  #key: KeyObject;
  #n: number;
  #seq: number;
  #size: number;
  readonly #unseen: number;
  readonly #restores: WalkedRestore[] = [];

  /** `start`: where the walk begins. A file that goes on from another begins right behind a seal. */
  constructor(genesis: Genesis, start: Base) {
    this.#genesis = genesis;
    this.#key = start.sealKey;
    this.#n = start.seals;
    this.#unseen = start.seals;
    this.#seq = start.seq;
    this.#size = Math.max(0, start.seq - 1);
  }

  /** The key in force behind the entries checked so far. */
  get key(): KeyObject {
    return this.#key;
  }

  /** Number of the newest seal so far. */
  get count(): number {
    return this.#n;
  }

  /** Seals that the walk came by. */
  get verified(): number {
    return this.#n - this.#unseen;
  }

  /** Entries that the newest seal covers. */
  get sealedSize(): number {
    return this.#size;
  }

  /** The restores so far, in their order. */
  get restores(): readonly WalkedRestore[] {
    return this.#restores;
  }

  /** Entries behind the newest seal. */
  behind(size: number): number {
    return size - this.#seq;
  }

  /** Checks the seal that is entry `seq`; `before` is the tree over all entries before it. */
  check(seq: number, data: string, before: GrowingTree): Finding | null {
    const seal = readSeal(data);
    if (seal === undefined) return finding(seq, 'it is not what a writer makes of a seal');
    if (seal.n !== this.#n + 1)
      return finding(seq, `it is seal ${seal.n}, and seal ${this.#n + 1} is expected`);
    if (seal.size !== seq - 1)
      return finding(seq, `it covers ${seal.size} entries, and ${seq - 1} lie before it`);
    const late = this.#gap(seq);
    if (late !== null) return late;
    if (seal.root !== Buffer.from(before.root(), 'hex').toString('base64'))
      return finding(seq, 'it names another root than the entries before it give');
    if (!isSealedBy(this.#genesis.ledgerId, seal, this.#key))
      return finding(seq, 'it is not signed by the key that its predecessor names');
    this.#key = publicKeyFromRaw(Buffer.from(seal.nextKey, 'base64'));
    this.#n = seal.n;
    this.#seq = seq;
    this.#size = seal.size;
    return null;
  }

  /** Checks the entry that says that the ledger was restored; the key that it names is in force behind it. */
  checkRestored(seq: number, ts: number, data: string, before: GrowingTree): Finding | null {
    const restored = openRestored(this.#genesis.ledgerId, data, this.#genesis.publicKey);
    if (restored === undefined) return finding(seq, 'it speaks of a restore that the log key did not sign');
    const { size, root, knownSize, reason, sealKey } = restored;
    if (size !== seq - 1 || root !== Buffer.from(before.root(), 'hex').toString('base64'))
      return finding(seq, 'it speaks of a restore of another ledger or size');
    this.#key = publicKeyFromRaw(Buffer.from(sealKey, 'base64'));
    this.#restores.push({ seq, ts, size, knownSize, reason });
    return null;
  }

  /** After the last entry: what lies behind the newest seal is no more than a writer leaves there. */
  settle(size: number): Finding | null {
    return this.#gap(size);
  }

  #gap(seq: number): Finding | null {
    return seq - this.#seq <= MAX_GAP
      ? null
      : finding(this.#seq + MAX_GAP, 'more entries lie behind the last seal than a writer leaves there');
  }
}

function finding(seq: number, detail: string): Finding {
  return { seq, class: 'seal', detail };
}
