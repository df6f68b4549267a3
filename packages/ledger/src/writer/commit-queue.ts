import { nextTurn, SublError } from '@subluminal/core-types';
import type { AppendGroup, AppendResult, EntryPosition } from '../entry/input.js';
import { namesEffect } from '../entry/kinds.js';
import { prepareGroup } from '../entry/prepare.js';
import type { Salts } from '../entry/salts.js';
import type { FlushReason } from '../store/store.js';
import type { PurgeReport } from '../expiry/purge.js';
import { closing, settle } from './answers.js';
import { Backlog, type WaitingGroup } from './backlog.js';
import type { IndexReport } from '../lookup/filler.js';
import type { Driver, DriverOpened } from './driver.js';
import { DriverInUse, type DriverInUseOptions } from './driver-in-use.js';
import { IndexSteps } from './index-steps.js';
import { Later } from './later.js';

/** Entries `first` to `last` have just become durable. */
export interface CommitNotice {
  readonly first: number;
  readonly last: number;
  /** Their commit had been reported as failed: whoever appended them was told that they are not there. */
  readonly unheard: boolean;
}

export interface CommitQueueOptions extends DriverInUseOptions {
  readonly salts: Salts;
  /** Called before the ledger goes on in another file, which it can only while nobody has this one open. */
  readonly release: () => void;
}

interface Flush {
  readonly reason: FlushReason;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

interface Purge {
  readonly resolve: (report: PurgeReport) => void;
  readonly reject: (error: unknown) => void;
}

/** A head alone costs as much as a call (signatures, commit, fsync): calls at an agent's pace share it. */
const TRAILING_HEAD_MS = 250;

/**
 * Group commit without a timer. Idle: what was appended in one turn of the event loop is committed at its
 * end. Busy: everything that came meanwhile is the next commit. Nothing resolves before COMMIT has returned.
 * A group that may wait goes with the next commit that another one needs, or has a commit of its own when its
 * time is over.
 */
export class CommitQueue {
  readonly #options: CommitQueueOptions;
  readonly #backlog = new Backlog();
  readonly #inUse: DriverInUse;
  readonly #listeners = new Set<(notice: CommitNotice) => void>();
  #flushes: Flush[] = [];
  #purge: Purge | undefined;
  #tip: EntryPosition = { seq: 0, leaf: '' };
  #working: Promise<void> | undefined;
  /** Something in the backlog waits for no other. */
  #isDue = false;
  readonly #dueTimer = new Later(() => this.#due(), { keepsProcess: true });
  readonly #trailingHead = new Later(() => this.#signHead(), { keepsProcess: false });
  readonly #indexSteps = new IndexSteps(() => this.#start());
  #closing = false;
  #closed = false;

  constructor(options: CommitQueueOptions) {
    this.#options = options;
    this.#inUse = new DriverInUse(options);
  }

  get tip(): EntryPosition {
    return this.#tip;
  }

  get depth(): number {
    return this.#backlog.entries;
  }

  /** How far the index goes. */
  get index(): IndexReport {
    return this.#indexSteps.report;
  }

  onCommit(listener: (notice: CommitNotice) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async open(): Promise<DriverOpened> {
    const opened = await this.#inUse.open(this.#tip);
    this.#tip = opened.tip;
    this.#indexSteps.restart();
    this.#indexLater();
    return opened;
  }

  append(group: AppendGroup, mayWaitMs = 0): Promise<AppendResult> {
    // One promise an append: an error that is thrown in here rejects it.
    return new Promise((resolve, reject) => {
      if (this.#closing) throw closing();
      const begins = group.entries.some(({ type, code }) => namesEffect(type, code));
      this.#backlog.assertRoom(group.entries.length, begins);
      const { salts } = this.#options;
      const prepared = prepareGroup(group, { salts, dropBlobs: this.#backlog.isHigh });
      this.#backlog.add({ group: prepared, begins, resolve, reject });
      if (mayWaitMs > 0) this.#dueWithin(mayWaitMs);
      else this.#due();
    });
  }

  async flushHead(reason: FlushReason): Promise<void> {
    if (this.#closed) throw closing();
    return this.#flush(reason);
  }

  /** Deletes some of the previews that have expired, when nothing waits to be committed. One at a time. */
  purge(): Promise<PurgeReport> {
    if (this.#closing) return Promise.reject(closing());
    if (this.#purge !== undefined) return Promise.reject(new SublError('overloaded', 'a purge is under way'));
    return new Promise((resolve, reject) => {
      this.#purge = { resolve, reject };
      this.#start();
    });
  }

  #flush(reason: FlushReason): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#flushes.push({ reason, resolve, reject });
      this.#start();
    });
  }

  async close(): Promise<void> {
    if (this.#closing) return;
    this.#closing = true;
    this.#trailingHead.stop();
    this.#indexSteps.stop();
    try {
      await this.#flush('shutdown');
    } finally {
      await this.#working;
      this.#closed = true;
      await this.#inUse.close();
    }
  }

  #due(): void {
    this.#isDue = true;
    this.#start();
  }

  #dueWithin(ms: number): void {
    if (!this.#isDue) this.#dueTimer.set(ms);
  }

  /** Nothing is left that waits. */
  #undue(): void {
    this.#isDue = false;
    this.#dueTimer.stop();
  }

  #start(): void {
    this.#working ??= this.#work();
  }

  async #work(): Promise<void> {
    do {
      await nextTurn();
      const batch = this.#backlog.take();
      if (this.#backlog.entries === 0) this.#undue();
      const flushes = this.#backlog.entries === 0 ? this.#flushes.splice(0) : [];
      const purge = batch.length === 0 ? this.#takePurge() : undefined;
      const isIndexDue = this.#indexSteps.takeDue();
      try {
        if (batch.length > 0) await this.#commit(batch);
        for (const flush of flushes) await this.#serveFlush(flush);
        purge?.resolve(await (await this.#usableDriver()).purge());
      } catch (error) {
        await this.#failAll(error, batch, flushes, purge);
      }
      if (isIndexDue) await this.#indexSteps.step(this.#inUse.driver);
    } while (this.#isDue || this.#flushes.length > 0 || this.#purge !== undefined);
    this.#working = undefined;
    this.#indexLater();
  }

  async #serveFlush({ reason, resolve }: Flush): Promise<void> {
    const driver = await this.#usableDriver();
    this.#moveTo(await driver.flushHead(this.#options.clock(), reason));
    resolve();
  }

  /** Rejects everything that waits. Those of the batch that have their answer keep it. */
  async #failAll(
    error: unknown,
    batch: readonly WaitingGroup[],
    flushes: readonly Flush[],
    purge: Purge | undefined,
  ): Promise<void> {
    const failure = await this.#inUse.giveUp(error);
    const waiting = [...batch, ...this.#backlog.takeAll(), ...flushes, ...this.#flushes.splice(0)];
    for (const one of waiting) one.reject(failure);
    for (const given of [purge, this.#takePurge()]) given?.reject(failure);
    this.#undue();
  }

  #takePurge(): Purge | undefined {
    const purge = this.#purge;
    this.#purge = undefined;
    return purge;
  }

  async #commit(batch: readonly WaitingGroup[]): Promise<void> {
    const driver = await this.#usableDriver();
    const report = await driver.commit(
      batch.map(({ group }) => group),
      this.#options.clock(),
    );
    for (const [index, waiting] of batch.entries()) settle(waiting, report.outcomes[index]);
    this.#moveTo(report.tip);
    // These entries stand; the one that follows them must not, while heads.log cannot remember what it
    // follows.
    if (report.memoryFailure !== null) throw new SublError('ledger_unsafe', report.memoryFailure);
    // Closing signs by itself; a timer would open the ledger again behind it.
    if (!report.headIsStale) this.#trailingHead.stop();
    else if (!this.#closing) this.#trailingHead.set(TRAILING_HEAD_MS);
    if (report.isFull) await this.#rotate(driver);
  }

  /** The driver in use; after a failure a fresh one, which has read the ledger's end anew. */
  async #usableDriver(): Promise<Driver> {
    if (this.#inUse.driver !== undefined) return this.#inUse.driver;
    if (this.#closed) throw closing();
    this.#inUse.assertMayOpen();
    const known = this.#tip.seq;
    const opened = await this.open();
    // The failed commit may have reached the disk after all: then its entries stand, and nobody was told.
    if (opened.tip.seq > known) this.#notify({ first: known + 1, last: opened.tip.seq, unheard: true });
    return this.#inUse.driver ?? this.#usableDriver();
  }

  async #rotate(driver: Driver): Promise<void> {
    this.#options.release();
    const tip = await driver.rotate(this.#options.clock());
    this.#indexSteps.restart();
    this.#moveTo(tip);
  }

  #signHead(): void {
    // A failure here has poisoned the queue already: the next append meets it.
    this.#flushes.push({ reason: 'idle', resolve: () => undefined, reject: () => undefined });
    this.#start();
  }

  #indexLater(): void {
    if (!this.#closing) this.#indexSteps.later(this.#tip.seq);
  }

  /** Everything up to there is durable. */
  #moveTo(tip: EntryPosition): void {
    const first = this.#tip.seq + 1;
    this.#tip = tip;
    if (tip.seq >= first) this.#notify({ first, last: tip.seq, unheard: false });
  }

  #notify(notice: CommitNotice): void {
    // In its own turn: what a listener throws must not look like a failed commit.
    for (const listener of this.#listeners) queueMicrotask(() => listener(notice));
  }
}
