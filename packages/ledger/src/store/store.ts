import { SublError } from '@subluminal/core-types';
import type { Database, Statement } from 'better-sqlite3';
import type { EntryPosition } from '../entry/input.js';
import { closesEffect, KINDS } from '../entry/kinds.js';
import type { PreparedEntry, PreparedGroup } from '../entry/prepare.js';
import { SEAL_ENTRIES, type Sealer } from '../seal/sealer.js';
import { Admission, type NotAdmitted } from './admission.js';
import { Aside } from './aside.js';
import { EntryWriter } from './entry-writer.js';
import type { HeadKeeper } from './head-keeper.js';
import { Purger, type PurgeReport } from '../expiry/purge.js';
import { Filler, type IndexReport } from '../lookup/filler.js';
import { canBeClosed } from '../segments/closable.js';
import { Fullness } from '../segments/fullness.js';
import { holdAlone } from '../segments/hold.js';
import type { Predecessor } from '../segments/predecessor.js';
import { closedData, hasEnded } from '../segments/succession.js';
import { systemEntry } from './system-entry.js';

/** The outcome of one group of a commit. */
export type GroupOutcome = { readonly ok: true; readonly entries: readonly EntryPosition[] } | NotAdmitted;

/** The tip that a store starts from. */
export interface StoreStart {
  readonly db: Database;
  readonly ledgerId: string;
  /** The genesis fingerprint. */
  readonly fingerprint: string;
  readonly tip: EntryPosition;
  /** Pendings without a result. */
  readonly open: Set<number>;
  readonly heads: HeadKeeper;
  readonly sealer: Sealer;
  /** Where the file begins. */
  readonly base: { readonly segment: number; readonly seq: number };
  /** The file before it; undefined for the first, and while nothing is claimed. The store closes it. */
  readonly predecessor?: Predecessor | undefined;
  /** The file is full with so many bytes. */
  readonly segmentBytes: number;
}

/**
 * Why a head is signed now. `run_end` and `shutdown` write to heads.log as well, `shutdown` seals what lies
 * behind the last seal.
 */
export type FlushReason = 'run_end' | 'shutdown' | 'idle';

/**
 * The single writer: synchronous, on one connection. If `commit` throws, what is on the disk is not known:
 * the store must be closed and the ledger opened and checked anew.
 */
export class Store {
  readonly #db: Database;
  readonly #heads: HeadKeeper;
  readonly #sealer: Sealer;
  readonly #base: StoreStart['base'];
  readonly #predecessor: Predecessor | undefined;
  readonly #admission: Admission;
  readonly #entries: EntryWriter;
  readonly #open: Set<number>;
  readonly #purger: Purger;
  readonly #filler: Filler;
  readonly #fullness: Fullness;
  readonly #aside = new Aside();
  readonly #begin: Statement<[]>;
  readonly #newest: Statement<[], number>;
  readonly #end: Statement<[]>;
  #memoryFailure: string | null = null;

  constructor(start: StoreStart) {
    const { db } = start;
    this.#db = db;
    this.#heads = start.heads;
    this.#sealer = start.sealer;
    this.#base = start.base;
    this.#predecessor = start.predecessor;
    this.#open = start.open;
    const { base, predecessor, open, ledgerId, heads, tip } = start;
    this.#entries = new EntryWriter({ db, ledgerId, tip, heads, open });
    const { dict, runs, rows, claims } = this.#entries;
    const isFirstFile = base.segment === 1;
    this.#admission = new Admission({
      db,
      dict,
      runs,
      rows,
      claims,
      isFirstFile,
      predecessor,
      open,
    });
    this.#purger = new Purger(db);
    this.#filler = new Filler({ db, base, ledger: start.fingerprint });
    this.#fullness = new Fullness(start);
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#newest = db
      .prepare<[], number>('SELECT coalesce((SELECT max(seq) FROM entry),(SELECT seq FROM base))')
      .pluck();
    this.#end = db.prepare('COMMIT');
  }

  /** The newest durable entry; seq 0 and the genesis fingerprint while there is none. */
  get tip(): EntryPosition {
    return this.#entries.tip;
  }

  /**
   * Why heads.log or the seal key could not be written after the last commit; null where neither was due, or
   * both were.
   */
  get memoryFailure(): string | null {
    return this.#memoryFailure;
  }

  /**
   * Whether another file is due; looked at with each seal and by `measure`, and for a while after it could
   * not be had.
   */
  get isFull(): boolean {
    return this.#fullness.isDue;
  }

  /** True while entries lie behind the signed head. */
  get headIsStale(): boolean {
    return this.#heads.size < this.#entries.seq;
  }

  /**
   * Call before each `commit`: waits for what goes on beside the commits, where one that holds `groups` needs
   * it done.
   *
   * @throws SublError what a hand-over of the seal key or a line in heads.log failed with: nothing may follow
   * them.
   */
  async ready(groups: readonly PreparedGroup[]): Promise<void> {
    if (this.#aside.isBusy) {
      const count = groups.reduce((sum, { entries }) => sum + entries.length, 0);
      const seals = this.#sealer.behind(this.#entries.seq) + count >= SEAL_ENTRIES;
      if (seals || this.#heads.isDueWith(count) || groups.some(endsRun)) await this.#aside.over();
    }
    this.#aside.assertSound();
  }

  /** Call before `flushHead`: waits for what goes on beside the commits. Throws what that failed with. */
  async quiet(): Promise<void> {
    await this.#aside.over();
    this.#aside.assertSound();
  }

  /** Call before `close`: waits for what goes on beside the commits, whatever becomes of it. */
  over(): Promise<void> {
    return this.#aside.over();
  }

  /**
   * Writes groups in one transaction, a seal behind them where one is due, and returns once all is durable.
   * Groups are independent: a conflict or refusal in one leaves no trace and does not touch the others. With
   * a run's end the line in heads.log and the hand-over of the seal key are done as well when this returns;
   * where they fail that does not undo what is durable, it stands in `memoryFailure`. Otherwise they go on
   * beside the next commits (`ready`).
   */
  commit(groups: readonly PreparedGroup[], nowMs: number): GroupOutcome[] {
    this.#start();
    const outcomes = groups.map(
      (group): GroupOutcome =>
        this.#admission.refusal(group) ?? { ok: true, entries: this.#entries.addGroup(group) },
    );
    const runEnded = groups.some(endsRun);
    const isQuiet = this.#open.size === 0 && groups.some(closesOne);
    const sealed = this.#sealer.behind(this.#entries.seq) >= SEAL_ENTRIES;
    if (sealed) this.#seal(nowMs);
    this.#heads.beforeCommit(this.#open, { runEnded, sealed, isQuiet });
    this.#finish();
    if (sealed) this.measure();
    if (this.#heads.due === 'now') this.#remember(nowMs);
    else this.#goOnAside(nowMs, sealed);
    return outcomes;
  }

  /** Looks whether another file is due. */
  measure(): void {
    this.#fullness.measure(this.#entries.seq);
  }

  /** Signs a head over everything that is durable; all but `idle` write a line to heads.log as well. */
  flushHead(nowMs: number, reason: FlushReason): void {
    const sealing = reason === 'shutdown' && this.#sealer.behind(this.#entries.seq) > 0;
    if (this.headIsStale || reason !== 'idle') {
      this.#start();
      if (sealing) this.#seal(nowMs);
      if (this.headIsStale) this.#heads.write(this.#open);
      this.#finish();
      this.#sealer.handOver();
    }
    if (reason !== 'idle') this.#heads.remember(nowMs);
  }

  /**
   * Inside a transaction that somebody else began: writes `entries`, a seal unless told otherwise, and the
   * head, and commits.
   */
  finishTransaction(
    entries: readonly PreparedEntry[],
    nowMs: number,
    { sealed }: { readonly sealed: boolean } = { sealed: true },
  ): void {
    for (const entry of entries) this.#entries.add(entry);
    if (sealed) this.#seal(nowMs);
    this.#heads.write(this.#open);
    this.#finish();
    this.#sealer.handOver();
  }

  /**
   * Ends the file: the entry that says so, a seal over it, a head, and a line in heads.log; nothing may
   * follow but another file. From then on nobody else can open this one until it is closed. Call after
   * `quiet`.
   *
   * @returns false where somebody reads the file, or it could not be closed: it goes on as if nothing had
   * been asked.
   */
  endFile(nowMs: number): boolean {
    this.#fullness.asked();
    const ended = hasEnded(this.#db);
    if (!ended && !canBeClosed(this.#db.name)) return false;
    if (!holdAlone(this.#db)) return false;
    if (!ended) {
      this.#start();
      this.#entries.add(systemEntry(KINDS.segment_closed, nowMs, closedData(this.#base.segment)));
      this.#seal(nowMs);
      this.#heads.write(this.#open);
      this.#finish();
    }
    this.#sealer.handOver();
    this.#heads.remember(nowMs);
    return true;
  }

  /** Moves what stands in the write-ahead log into the file that was opened, wherever it is by now. */
  salvage(): void {
    this.#db.pragma('wal_checkpoint(TRUNCATE)');
  }

  /** Deletes some of the previews that have expired. Call between commits. */
  purge(): PurgeReport {
    return this.#purger.step();
  }

  /** Takes the index a block further, where a block is there. Call between commits. */
  index(): IndexReport {
    return this.#filler.step();
  }

  /** Closes the connection; nothing is flushed. */
  close(): void {
    try {
      this.#filler.close();
    } finally {
      this.#closeLedger();
    }
  }

  #closeLedger(): void {
    this.#predecessor?.close();
    this.#heads.close();
    this.#db.close();
  }

  /** Another writer must not exist, but one that did would be put back by the head of this one. */
  #start(): void {
    this.#begin.run();
    const newest = this.#newest.get();
    if (newest !== this.#entries.seq) {
      const why = `its newest entry is ${newest}, not the ${this.#entries.seq} of this writer`;
      throw new SublError('audit_unavailable', `somebody else writes to the ledger: ${why}`);
    }
  }

  #remember(nowMs: number): void {
    try {
      this.#sealer.handOver();
      this.#heads.remember(nowMs);
    } catch (error) {
      this.#memoryFailure = error instanceof Error ? error.message : String(error);
    }
  }

  #goOnAside(nowMs: number, sealed: boolean): void {
    const line = this.#heads.due === 'aside' ? this.#heads.takeLine(nowMs) : undefined;
    if (sealed || line !== undefined) {
      this.#aside.start(async () => {
        await this.#sealer.handOverAside();
        await line?.();
      });
    } else if (!this.#aside.isBusy && this.#sealer.wantsSuccessor(this.#entries.seq)) {
      this.#aside.start(() => this.#sealer.stageAside());
    }
  }

  #finish(): void {
    this.#entries.flush();
    this.#end.run();
  }

  #seal(nowMs: number): void {
    const data = this.#sealer.seal(this.#entries.seq, this.#heads.root);
    this.#entries.add(systemEntry(KINDS.seal, nowMs, data));
  }
}

function closesOne({ entries }: PreparedGroup): boolean {
  return entries.some(({ kind }) => closesEffect(kind));
}

function endsRun({ entries }: PreparedGroup): boolean {
  return entries.some(({ kind }) => kind === KINDS.run_end);
}
