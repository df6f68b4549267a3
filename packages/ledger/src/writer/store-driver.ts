import { SublError } from '@subluminal/core-types';
import { SameFiles } from '../files/same-files.js';
import type { PreparedGroup } from '../entry/prepare.js';
import type { PurgeReport } from '../expiry/purge.js';
import type { IndexReport } from '../lookup/filler.js';
import { openStore, type OpenedStore, type OpenStoreOptions } from '../store/open-store.js';
import type { EntryPosition } from '../entry/input.js';
import type { FlushReason, Store } from '../store/store.js';
import type { CommitReport, Driver, DriverOpened } from './driver.js';

/** Runs the store in the calling thread, which is the worker's. */
export class StoreDriver implements Driver {
  readonly #options: Omit<OpenStoreOptions, 'nowMs'>;
  #store: Store | undefined;
  #rotate: OpenedStore['rotate'] | undefined;
  #files: SameFiles | undefined;

  constructor(options: Omit<OpenStoreOptions, 'nowMs'>) {
    this.#options = options;
  }

  async open(nowMs: number): Promise<DriverOpened> {
    const opened = openStore({ ...this.#options, nowMs });
    this.#use(opened);
    const { publicKey: _, sealKey: __, ...facts } = opened.genesis;
    return { genesis: facts, tip: opened.store.tip, memory: opened.memory };
  }

  async commit(groups: readonly PreparedGroup[], nowMs: number): Promise<CommitReport> {
    const store = this.#intact();
    await store.ready(groups);
    const outcomes = store.commit(groups, nowMs);
    const { tip, headIsStale, memoryFailure, isFull } = store;
    return { outcomes, tip, headIsStale, memoryFailure, isFull };
  }

  async flushHead(nowMs: number, reason: FlushReason): Promise<EntryPosition> {
    const store = this.#intact();
    await store.quiet();
    store.flushHead(nowMs, reason);
    return store.tip;
  }

  async purge(): Promise<PurgeReport> {
    return this.#opened().purge();
  }

  async index(): Promise<IndexReport> {
    return this.#opened().index();
  }

  async rotate(nowMs: number): Promise<EntryPosition> {
    const store = this.#intact();
    await store.quiet();
    // A store that fails here has closed itself.
    this.#store = undefined;
    const next = this.#rotate?.(nowMs);
    if (next === undefined) this.#store = store;
    else this.#use(next);
    return this.#opened().tip;
  }

  async close(): Promise<void> {
    const store = this.#store;
    this.#store = undefined;
    // Work that went on beside the commits and failed is done again by the next start.
    await store?.over();
    store?.close();
  }

  /**
   * The store, while its files are the ones that it opened. One that is gone would take every later entry
   * with it: what SQLite still holds is moved into the ledger, and nothing more is accepted.
   */
  #intact(): Store {
    const store = this.#opened();
    const changed = this.#files?.changed();
    if (changed === undefined) return store;
    store.salvage();
    throw new SublError(
      'ledger_missing',
      `\`${changed}\` was removed or replaced while the ledger was open`,
      {
        help: 'put the ledger back if it was replaced, then restart the gateway with `sub down` and `sub up`',
      },
    );
  }

  #use({ store, rotate }: OpenedStore): void {
    this.#store = store;
    this.#rotate = rotate;
    this.#files = new SameFiles([this.#options.path, `${this.#options.path}-wal`]);
  }

  #opened(): Store {
    if (this.#store === undefined) throw new SublError('audit_unavailable', 'the ledger is not open');
    return this.#store;
  }
}
