import type { Database, Statement } from 'better-sqlite3';
import { NO_LEAF } from '../entry/format.js';
import { KINDS } from '../entry/kinds.js';
import { RecentMap } from '../recent/recent-map.js';
import type { EntryRows } from './entry-rows.js';

/** Where a run's own chain stands. */
export interface RunChain {
  /** Index of the next entry. */
  readonly next: number;
  /** Leaf of the last entry. */
  readonly last: string;
  readonly ended: boolean;
}

interface LastOfRun {
  readonly kind: number;
  readonly hash: Buffer;
  readonly ri: number;
}

const FRESH: RunChain = { next: 0, last: NO_LEAF, ended: false };
const CACHED_RUNS = 4096;

/**
 * The tips of the run sub-chains. Only recent runs are in memory; others are read from their newest entry.
 * The key is the run's number in `dict`, 0 for the chain of system entries.
 */
export class RunChains {
  readonly #ofRun: Statement<[number], LastOfRun>;
  readonly #ofSystem: Statement<[], LastOfRun>;
  readonly #carried: Statement<[number], { readonly next: number; readonly last: Buffer }>;
  readonly #cache = new RecentMap<number, RunChain>(CACHED_RUNS);
  readonly #rows: Pick<EntryRows, 'flush'>;

  constructor(db: Database, rows: Pick<EntryRows, 'flush'>) {
    this.#rows = rows;
    const last = (where: string): string =>
      `SELECT kind, hash, body->>'$.ri' AS ri FROM entry INDEXED BY e_run WHERE ${where} ORDER BY seq DESC LIMIT 1`;
    this.#ofRun = db.prepare(last('run = ?'));
    this.#ofSystem = db.prepare(last('run IS NULL'));
    this.#carried = db.prepare('SELECT next, last FROM carried_run WHERE run = ?');
  }

  get(run: number): RunChain {
    const cached = this.#cache.get(run);
    if (cached !== undefined) return cached;
    this.#rows.flush();
    const row = run === 0 ? this.#ofSystem.get() : this.#ofRun.get(run);
    const chain =
      row === undefined
        ? this.#older(run)
        : {
            next: row.ri + 1,
            last: row.hash.toString('hex'),
            ended: run !== 0 && row.kind === KINDS.run_end,
          };
    this.#cache.set(run, chain);
    return chain;
  }

  /** Where an older file of the ledger left it. */
  #older(run: number): RunChain {
    const carried = this.#carried.get(run);
    if (carried === undefined) return FRESH;
    return { next: carried.next, last: carried.last.toString('hex'), ended: false };
  }

  advance(run: number, chain: RunChain, leaf: string, kind: number): void {
    this.#cache.set(run, { next: chain.next + 1, last: leaf, ended: run !== 0 && kind === KINDS.run_end });
  }
}
