import type { Genesis } from '../genesis/record.js';
import type { PreparedGroup } from '../entry/prepare.js';
import type { EntryPosition } from '../entry/input.js';
import type { PurgeReport } from '../expiry/purge.js';
import type { IndexReport } from '../lookup/filler.js';
import type { MemoryState } from '../store/prove.js';
import type { FlushReason, GroupOutcome } from '../store/store.js';

/** The outcomes of a commit, and the state behind it. */
export interface CommitReport {
  readonly outcomes: readonly GroupOutcome[];
  readonly tip: EntryPosition;
  /** True while entries lie behind the signed head. */
  readonly headIsStale: boolean;
  /**
   * Why the line in heads.log or the hand-over of the seal key that was due after this commit failed, else
   * null. The commit is durable all the same; the driver is of no further use but to `close`, and the next
   * one does both before it takes entries.
   */
  readonly memoryFailure: string | null;
  /** True where the ledger is to go on in another file (`rotate`). */
  readonly isFull: boolean;
}

/** An opened store. */
export interface DriverOpened {
  readonly genesis: Omit<Genesis, 'publicKey' | 'sealKey'>;
  readonly tip: EntryPosition;
  readonly memory: MemoryState;
}

/**
 * A store, in whichever thread it runs. One call at a time. After a call was rejected the state on the
 * disk is unknown, and the driver is of no further use but to `close`.
 */
export interface Driver {
  open(nowMs: number): Promise<DriverOpened>;
  commit(groups: readonly PreparedGroup[], nowMs: number): Promise<CommitReport>;
  /** Gives the tip: sealing adds an entry. */
  flushHead(nowMs: number, reason: FlushReason): Promise<EntryPosition>;
  /** Deletes some of the previews that have expired. */
  purge(): Promise<PurgeReport>;
  /** Takes the index a block further; an index that cannot be kept says why. */
  index(): Promise<IndexReport>;
  /** Lets the ledger go on in another file, unless somebody else reads this one. Gives the tip. */
  rotate(nowMs: number): Promise<EntryPosition>;
  close(): Promise<void>;
}
