import type { Database } from 'better-sqlite3';
import { KINDS, opensEffect } from '../entry/kinds.js';
import type { PreparedGroup } from '../entry/prepare.js';
import type { Predecessor } from '../segments/predecessor.js';
import type { Claims } from './claims.js';
import { DICT_KINDS, type Dictionary } from './dictionary.js';
import type { EntryRows } from './entry-rows.js';
import { Refs } from './refs.js';
import type { RunChains } from './run-chains.js';

/** Why a group was refused without harm to others of its commit. */
export type Refusal = 'run_ended' | 'bad_ref' | 'too_many_open';

/** The reason that keeps a group out. `seq`: the entry that has claimed its request id. */
export type NotAdmitted =
  | { readonly ok: false; readonly conflict: 'seen'; readonly seq: number }
  | { readonly ok: false; readonly conflict: 'ref' }
  | { readonly ok: false; readonly refused: Refusal };

export interface AdmissionParts {
  readonly db: Database;
  readonly dict: Dictionary;
  readonly runs: RunChains;
  readonly rows: EntryRows;
  readonly claims: Claims;
  readonly isFirstFile: boolean;
  /** The file before this one. */
  readonly predecessor: Predecessor | undefined;
  /** Pendings without a result. */
  readonly open: ReadonlySet<number>;
}

/** Beyond this many pendings without a result no further one is accepted: their list is part of the head. */
const MAX_OPEN = 16_384;

/** Decides what enters the ledger, before anything of it is written. */
export class Admission {
  readonly #parts: AdmissionParts;
  readonly #refs: Refs;
  /** Runs that go on from the file before: no others that are known here have claimed anything there. */
  readonly #carried: ReadonlySet<number>;

  constructor(parts: AdmissionParts) {
    const { db } = parts;
    this.#parts = parts;
    this.#refs = new Refs(db, parts.rows);
    this.#carried = new Set(db.prepare<[], number>('SELECT run FROM carried_run').pluck().all());
  }

  /** The reason that keeps a group out, or undefined. */
  refusal(group: PreparedGroup): NotAdmitted | undefined {
    const claimed = group.seen === null ? undefined : this.#claimedBy(group.seen);
    if (claimed !== undefined) return { ok: false, conflict: 'seen', seq: claimed };
    const begun = new Set<string>();
    const ended = new Set<string>();
    let opened = 0;
    for (const [index, entry] of group.entries.entries()) {
      const run = this.#findRun(entry.run);
      if (entry.run !== null) {
        const chain = typeof run === 'number' ? this.#parts.runs.get(run) : undefined;
        // Its name may be known without it: from a request id, or from a call that was left in it.
        const isNew = (chain === undefined || chain.next === 0) && !begun.has(entry.run);
        if (ended.has(entry.run) || chain?.ended === true || (isNew && !this.#mayBegin(entry.kind)))
          return { ok: false, refused: 'run_ended' };
        begun.add(entry.run);
      }
      const verdict = this.#refs.check(entry, index, group.entries, run);
      if (verdict === 'conflict') return { ok: false, conflict: 'ref' };
      if (verdict === 'wrong') return { ok: false, refused: 'bad_ref' };
      if (opensEffect(entry.kind, entry.code)) opened += 1;
      if (entry.kind === KINDS.run_end && entry.run !== null) ended.add(entry.run);
    }
    return opened > 0 && this.#parts.open.size + opened > MAX_OPEN
      ? { ok: false, refused: 'too_many_open' }
      : undefined;
  }

  /**
   * Runs that have ended are not carried into another file: there they look like new ones, and those begin
   * with their start.
   */
  #mayBegin(kind: number): boolean {
    return this.#parts.isFirstFile || kind === KINDS.run_start;
  }

  #claimedBy({ run: name, id }: { run: string | null; id: string }): number | undefined {
    const run = this.#findRun(name);
    if (run === undefined) return undefined;
    const here = this.#parts.claims.find(run ?? 0, id);
    return here ?? (this.#carried.has(run ?? 0) ? this.#parts.predecessor?.claimed(name, id) : undefined);
  }

  /** The dict number of a run: null for system entries, undefined for a run that is not in the file yet. */
  #findRun(run: string | null): number | null | undefined {
    return run === null ? null : this.#parts.dict.find(DICT_KINDS.run, run);
  }
}
