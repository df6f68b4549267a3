import { SublError } from '@subluminal/core-types';
import type { PreparedGroup } from '../entry/prepare.js';
import { openStore, type OpenStoreOptions } from '../store/open-store.js';
import type { Store } from '../store/store.js';
import type { CommitReport, Driver, DriverOpened } from './driver.js';

/** Runs the store in the calling thread: right where an fsync is shorter than the hop to a worker. */
export class InlineDriver implements Driver {
  readonly #options: Omit<OpenStoreOptions, 'nowMs'>;
  #store: Store | undefined;

  constructor(options: Omit<OpenStoreOptions, 'nowMs'>) {
    this.#options = options;
  }

  async open(nowMs: number): Promise<DriverOpened> {
    const { store, genesis, memory } = openStore({ ...this.#options, nowMs });
    this.#store = store;
    const { publicKey: _, ...facts } = genesis;
    return { genesis: facts, tip: store.tip, memory };
  }

  async commit(groups: readonly PreparedGroup[], nowMs: number): Promise<CommitReport> {
    const store = this.#opened();
    const outcomes = store.commit(groups, nowMs);
    const { tip, headIsStale, commitMs, memoryFailure } = store;
    return { outcomes, tip, headIsStale, commitMs, memoryFailure };
  }

  async flushHead(nowMs: number, remember: boolean): Promise<void> {
    this.#opened().flushHead(nowMs, remember);
  }

  async close(): Promise<void> {
    this.#store?.close();
    this.#store = undefined;
  }

  #opened(): Store {
    if (this.#store === undefined) throw new SublError('audit_unavailable', 'the ledger is not open');
    return this.#store;
  }
}
