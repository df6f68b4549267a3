import { createPublicKey, type KeyObject } from 'node:crypto';
import type { SealKeyFile } from './key-file.js';
import { keyText, signSeal } from './record.js';

/** With so many entries behind the last seal the next commit writes one. */
export const SEAL_ENTRIES = 1024;
/**
 * With so many the successor of the key is made, so that the commit that seals need not wait for its two
 * fsyncs.
 */
const STAGE_ENTRIES = 256;

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
  /** Given where COMMIT alone does not make a commit survive power loss. */
  readonly settle: Settle | undefined;
}

/** Makes every commit so far survive power loss; `aside` without holding up this thread. */
export interface Settle {
  now(): void;
  aside(): Promise<void>;
}

/**
 * Seals and the hand-over of their key. The order is what a crash may cut anywhere: successor on the disk,
 * COMMIT, rename; a successor that nobody named yet is thrown away by the next start. The old key must not go
 * before the seal that names its successor is safe.
 */
export class Sealer {
  readonly #start: SealerStart;
  #key: KeyObject;
  #n: number;
  #seq: number;
  #handOver = false;
  #staged: KeyObject | undefined;
  #triedToStage = false;

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

  /**
   * The data of a seal over the first `size` entries. Call inside the transaction that writes it as the next
   * entry.
   */
  seal(size: number, root: string): string {
    const { ledgerId, file } = this.#start;
    const isStaged = this.#staged !== undefined && file.isStaged(this.#staged);
    const next = isStaged && this.#staged !== undefined ? this.#staged : file.stage();
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
    this.#staged = undefined;
    this.#triedToStage = false;
    return data;
  }

  /** After COMMIT. Until it succeeds the next start finds the successor waiting, and goes on from there. */
  handOver(): void {
    if (!this.#handOver) return;
    this.#start.settle?.now();
    this.#start.file.promote();
    this.#handOver = false;
  }

  /** The same beside the commits that follow; none of them may seal before it is done. */
  async handOverAside(): Promise<void> {
    if (!this.#handOver) return;
    await this.#start.settle?.aside();
    await this.#start.file.promoteAside();
    this.#handOver = false;
  }

  /** Whether the successor is to be made now, with the ledger's newest entry `tip`. */
  wantsSuccessor(tip: number): boolean {
    return !this.#triedToStage && !this.#handOver && this.behind(tip) >= STAGE_ENTRIES;
  }

  /** Makes the successor that the next seal will name, once for each seal. */
  async stageAside(): Promise<void> {
    this.#triedToStage = true;
    try {
      this.#staged = await this.#start.file.stageAside();
    } catch {
      // Nothing depends on it: the commit that seals stages one itself, and fails with what is wrong.
      this.#staged = undefined;
    }
  }
}
