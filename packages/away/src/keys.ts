import {
  deriveSpoolKey,
  encodeKey,
  signHead,
  snapshotPublicText,
  snapshotSigningKey,
  verifyHead,
  type SnapshotHead,
} from '@subluminal/core-types';
import type { KeyRing } from '@subluminal/gateway';

/**
 * The keys that sign snapshots and check spools. All of them follow from the master key: nothing is stored.
 */
export class AwayKeys {
  /** The public half of the signing key, which shims get inside of their session only. */
  readonly publicText: string;
  readonly #ring: KeyRing;
  readonly #signing: ReturnType<typeof snapshotSigningKey>;

  constructor(ring: KeyRing) {
    this.#ring = ring;
    this.#signing = snapshotSigningKey(ring.deriveOwn('snapshot', 'sign'));
    this.publicText = snapshotPublicText(this.#signing);
  }

  sign(head: SnapshotHead): string {
    return signHead(this.#signing, head);
  }

  isOurs(head: SnapshotHead, signature: string): boolean {
    return verifyHead(this.publicText, head, signature);
  }

  /** The half of a spool's key that only the session hears which gets the snapshot. */
  secretOf(snapshotId: string): string {
    return encodeKey(this.#ring.deriveOwn('spool-secret', snapshotId));
  }

  /**
   * The id that taking in a spool claims in its run. Nobody can know it before, and so nobody can keep the
   * spool out.
   */
  claimOf(snapshotId: string): string {
    return `spool-${encodeKey(this.#ring.deriveOwn('spool-claim', snapshotId))}`;
  }

  spoolKey(runId: string, snapshotId: string): Uint8Array {
    const { ledgerId } = this.#ring;
    return deriveSpoolKey(this.#ring.runKey(runId), ledgerId, snapshotId, this.secretOf(snapshotId));
  }
}
