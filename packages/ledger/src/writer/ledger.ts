import { SublError } from '@subluminal/core-types';
import { randomBytes, type KeyObject } from 'node:crypto';
import type { AppendGroup, AppendResult, EntryPosition } from '../entry/input.js';
import { finishPurges } from '../expiry/closed-file.js';
import { expirePreviews, type ExpiryReport } from '../expiry/expire.js';
import { Salts } from '../entry/salts.js';
import type { IndexReport } from '../lookup/filler.js';
import { LedgerFiles } from '../read/files.js';
import { OneFile } from '../read/one-file.js';
import { Outcomes, type SeenOutcome } from '../read/outcomes.js';
import type { LedgerRow } from '../read/row.js';
import type { Durability } from '../schema/connection.js';
import type { MemoryState } from '../store/prove.js';
import type { FlushReason } from '../store/store.js';
import { CommitQueue, type CommitNotice } from './commit-queue.js';
import type { Driver } from './driver.js';
import { WorkerDriver } from './worker-driver.js';
import type { WorkerStart } from './worker-protocol.js';

/** How to open a ledger for writing. */
export interface OpenLedgerOptions {
  readonly path: string;
  /** The log key, Ed25519; its public half stands in the genesis record. */
  readonly signingKey: { readonly privateKey: KeyObject };
  /** The file of the evolving seal key (and, while it is handed over, `.next` beside it). */
  readonly sealKeyPath: string;
  /** Path of heads.log, the memory outside of the home. */
  readonly headsLog?: string;
  readonly durability: Durability;
  /**
   * With so many bytes the ledger goes on in another file, and this one is closed (`segments/`); never,
   * unless given.
   */
  readonly segmentBytes?: number;
  /** Epoch milliseconds. */
  readonly clock: () => number;
}

/** The open ledger of the one process that may write it. */
export interface Ledger {
  readonly ledgerId: string;
  readonly genesisFingerprint: string;
  /** How heads.log was found when the ledger was opened. */
  readonly memory: MemoryState;
  /**
   * Resolves once the group is durable, or with the conflict that kept all of it out. `mayWaitMs`: nobody
   * waits for it, so it goes with the next commit that comes within that time.
   *
   * @throws SublError `audit_unavailable` (what is on the disk is unknown: nothing may be executed),
   * `overloaded` (the queue of 8,192 entries or 8 MiB is full, or has its last quarter left, which is for
   * ends, or too many pendings wait for a result), `run_ended`, `invalid_request`, `not_canonical`,
   * `shutting_down`.
   */
  append(group: AppendGroup, mayWaitMs?: number): Promise<AppendResult>;
  /** The newest durable entry; seq 0 and the genesis fingerprint in an empty ledger. */
  head(): EntryPosition;
  /** Entries that wait for a commit. */
  readonly queueDepth: number;
  /** How far `index.db` goes, by which readers find times, tools, codes and calls. */
  readonly index: IndexReport;
  /** Calls `listener` after each commit. Returns the function that ends it. */
  onCommit(listener: (notice: CommitNotice) => void): () => void;
  /** Signs a head over all that is durable, and at `shutdown` seals it. Throws `audit_unavailable`. */
  flushHead(reason: FlushReason): Promise<void>;
  /**
   * The entries of a request id of a run; null if it was never claimed. Takes a turn of the event loop for
   * each file that the run goes through.
   */
  seenOutcome(runId: string | null, id: string): Promise<SeenOutcome | null>;
  /** Pending actions and ALLOW decisions without a result, oldest first: a crash left them in doubt. */
  danglingPendings(): LedgerRow[];
  /**
   * Lets the previews of entries older than `before` (epoch milliseconds) expire: the entry that says so
   * first, then the previews, small steps at a time, until `signal` ends it. One at a time. Throws
   * `audit_unavailable`, `overloaded`, `shutting_down`.
   */
  expirePreviews(before: number, signal?: AbortSignal): Promise<ExpiryReport>;
  /** Bytes in the file that hold nothing and will be used again. */
  freeBytes(): number;
  /** Commits the entries that wait, seals, signs the head, writes to heads.log and closes. */
  close(): Promise<void>;
}

/**
 * Opens the ledger for writing and checks that it hangs together up to its last entry.
 *
 * @throws SublError `ledger_missing`, `ledger_unsafe` (settings, key, folder), `ledger_corrupt` (contradicts
 * itself or heads.log; a fresh one is never put in its place), `home_too_old`, `not_available` (a later
 * version wrote it).
 */
export async function openLedger(options: OpenLedgerOptions): Promise<Ledger> {
  const url = new URL('./worker-main.js', import.meta.url);
  return openLedgerWith(options, (start) => new WorkerDriver(start, url));
}

/** `openLedger` with the store where `drive` puts it. */
export async function openLedgerWith(
  options: OpenLedgerOptions,
  drive: (start: WorkerStart) => Driver,
): Promise<Ledger> {
  const { path, headsLog, durability, segmentBytes, sealKeyPath, clock } = options;
  const { privateKey } = options.signingKey;
  const createDriver = (): Driver =>
    drive({ path, headsLog, durability, segmentBytes, privateKey, sealKeyPath });
  const reading = new Reading(path);
  const release = (): void => reading.release();
  finishPurges(path);
  const queue = new CommitQueue({ createDriver, clock, salts: new Salts(randomBytes), release });
  const opened = await queue.open();
  return new OpenLedger(queue, reading, options, opened);
}

/** The files that answer questions: open from one question until the ledger goes on in another file. */
class Reading {
  readonly #path: string;
  #open: { readonly files: LedgerFiles<OneFile>; readonly outcomes: Outcomes } | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  get files(): LedgerFiles<OneFile> {
    return this.#opened().files;
  }

  get outcomes(): Outcomes {
    return this.#opened().outcomes;
  }

  release(): void {
    this.#open?.files.release();
  }

  /** Ends also what goes from file to file just now. */
  close(): void {
    this.#open?.files.close();
  }

  #opened(): { readonly files: LedgerFiles<OneFile>; readonly outcomes: Outcomes } {
    if (this.#open !== undefined) return this.#open;
    const files = new LedgerFiles(this.#path, (file) => new OneFile(file));
    this.#open = { files, outcomes: new Outcomes(files) };
    return this.#open;
  }
}

class OpenLedger implements Ledger {
  readonly ledgerId: string;
  readonly genesisFingerprint: string;
  readonly memory: MemoryState;
  readonly #queue: CommitQueue;
  readonly #reading: Reading;
  readonly #clock: () => number;
  #expiring = false;

  constructor(
    queue: CommitQueue,
    reading: Reading,
    { clock }: OpenLedgerOptions,
    opened: Awaited<ReturnType<CommitQueue['open']>>,
  ) {
    this.#clock = clock;
    this.ledgerId = opened.genesis.ledgerId;
    this.genesisFingerprint = opened.genesis.fingerprint;
    this.memory = opened.memory;
    this.#queue = queue;
    this.#reading = reading;
  }

  get queueDepth(): number {
    return this.#queue.depth;
  }

  get index(): IndexReport {
    return this.#queue.index;
  }

  append(group: AppendGroup, mayWaitMs?: number): Promise<AppendResult> {
    return this.#queue.append(group, mayWaitMs);
  }

  head(): EntryPosition {
    return this.#queue.tip;
  }

  onCommit(listener: (notice: CommitNotice) => void): () => void {
    return this.#queue.onCommit(listener);
  }

  flushHead(reason: FlushReason): Promise<void> {
    return this.#queue.flushHead(reason);
  }

  seenOutcome(runId: string | null, id: string): Promise<SeenOutcome | null> {
    return this.#reading.outcomes.seenInTurns(runId, id);
  }

  danglingPendings(): LedgerRow[] {
    return this.#reading.outcomes.dangling();
  }

  freeBytes(): number {
    const { db } = this.#reading.files.present;
    const read = (name: string): number => Number(db.pragma(name, { simple: true }));
    return read('freelist_count') * read('page_size');
  }

  async expirePreviews(before: number, signal?: AbortSignal): Promise<ExpiryReport> {
    if (this.#expiring) throw new SublError('overloaded', 'previews are expiring already');
    this.#expiring = true;
    try {
      return await expirePreviews(this.#reading.files, this.#queue, {
        before,
        nowMs: this.#clock(),
        signal,
      });
    } finally {
      this.#expiring = false;
    }
  }

  async close(): Promise<void> {
    // The reader first: only the last connection to close moves the log into the file, and it has to be the
    // writer's.
    try {
      this.#reading.close();
    } finally {
      await this.#queue.close();
    }
  }
}
