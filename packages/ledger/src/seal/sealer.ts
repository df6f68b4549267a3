import { createPublicKey, type KeyObject } from 'node:crypto';
import type { SealKeyFile } from './key-file.js';
import { keyText, signSeal } from './record.js';

/** With so many entries behind the last seal the next commit writes one. */
export const SEAL_ENTRIES = 1024;

/** What a sealer goes on from. */
export interface SealerStart {
  readonly ledgerId: string;
  readonly file: SealKeyFile;
  /** The key in force. */
  readonly key: KeyObject;
  /** Number of the newest seal, 0 before the first. */
  readonly n: number;
  /** Seq of its entry, 0 before the first. */
  readonly seq: number;
  /** Makes every commit so far survive power loss, where COMMIT alone does not. */
  readonly settle: (() => void) | undefined;
}

/**
 * Seals and the hand-over of their key. The order is what a crash may cut anywhere: successor on the disk, COMMIT,
 * rename. The old key must not go before the seal that names its successor is safe.
 */
export class Sealer {
  readonly #start: SealerStart;
  #key: KeyObject;
  #n: number;
  #seq: number;
  #handOver = false;

  constructor(start: SealerStart) {
    this.#start = start;
    this.#key = start.key;
    this.#n = start.n;
    this.#seq = start.seq;
  }

  /** The key that signs heads, and the next seal. */
  get key(): KeyObject {
    return this.#key;
  }

  /** Entries behind the newest seal when the ledger's newest entry is `tip`. */
  behind(tip: number): number {
    return tip - this.#seq;
  }

  /** The data of a seal over the first `size` entries. Call inside the transaction that writes it as the next entry. */
  seal(size: number, root: string): string {
    const { ledgerId, file } = this.#start;
    const next = file.stage();
    const seal = {
      n: this.#n + 1,
      size,
      root: Buffer.from(root, 'hex').toString('base64'),
      nextKey: keyText(createPublicKey(next)),
    };
    const data = signSeal(ledgerId, seal, this.#key);
    this.#key = next;
    this.#n = seal.n;
    this.#seq = size + 1;
    this.#handOver = true;
    return data;
  }

  /** After COMMIT. Until it succeeds the next start finds the successor waiting, and goes on from there. */
  handOver(): void {
    if (!this.#handOver) return;
    this.#start.settle?.();
    this.#start.file.promote();
    this.#handOver = false;
  }
}
