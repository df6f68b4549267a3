import type { Database, Statement } from 'better-sqlite3';
import type { EntryRef } from '../entry/input.js';
import { pairingRule } from '../entry/pairing.js';
import type { PreparedEntry } from '../entry/prepare.js';
import type { EntryRows } from './entry-rows.js';

/** A `ref` is fine, was referred to before, or is nothing that an entry of this kind may refer to. */
export type RefVerdict = 'fine' | 'conflict' | 'wrong';

interface Target {
  readonly kind: number;
  readonly run: number | null;
  readonly taken: number | null;
}

/** Checks `ref`s before anything of a group is written, so that a refused group leaves no trace. */
export class Refs {
  readonly #find: Statement<[number], Target>;
  readonly #carried: Statement<[number], Target>;
  readonly #rows: Pick<EntryRows, 'flushFor'>;

  constructor(db: Database, rows: Pick<EntryRows, 'flushFor'>) {
    this.#rows = rows;
    const from = (table: string, run: string): string =>
      `SELECT kind, ${run} AS run, (SELECT seq FROM entry WHERE ref = t.seq) AS taken FROM ${table} t WHERE seq = ?`;
    this.#find = db.prepare(from('entry', 'run'));
    this.#carried = db.prepare(from('carried', 'nullif(run, 0)'));
  }

  /** `run` is the dict number of the entry's run, undefined where the run is new. */
  check(
    entry: PreparedEntry,
    index: number,
    group: readonly PreparedEntry[],
    run: number | null | undefined,
  ): RefVerdict {
    const { ref } = entry;
    if (ref === null) return 'fine';
    const rule = pairingRule(entry.kind);
    if (typeof ref === 'object') {
      const target = ref.entry < index ? group[ref.entry] : undefined;
      if (target === undefined || group.some((other, at) => at < index && sameTarget(other.ref, ref)))
        return 'wrong';
      return fits(rule.target, target.kind) && (!rule.sameRun || target.run === entry.run) ? 'fine' : 'wrong';
    }
    this.#rows.flushFor(ref);
    const target = this.#find.get(ref) ?? this.#carried.get(ref);
    if (target === undefined || !fits(rule.target, target.kind)) return 'wrong';
    if (rule.sameRun && target.run !== run) return 'wrong';
    return target.taken !== null || group.some((other, at) => at < index && other.ref === ref)
      ? 'conflict'
      : 'fine';
  }
}

function fits(allowed: readonly number[] | null, kind: number): boolean {
  return allowed === null || allowed.includes(kind);
}

function sameTarget(other: EntryRef | null, ref: { readonly entry: number }): boolean {
  return typeof other === 'object' && other !== null && other.entry === ref.entry;
}
