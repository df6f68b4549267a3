import type { Database, Statement } from 'better-sqlite3';
import type { PairingRule } from '../entry/pairing.js';

const WINDOW = 1 << 20;

interface OldTarget {
  readonly kind: number;
  readonly run: number | null;
  readonly referrers: number;
}

interface Target {
  readonly kind: number;
  readonly run: number;
  taken: boolean;
}

/** An entry that refers to another one. */
export interface Referrer {
  readonly rule: PairingRule;
  /** The number of its run; 0 for system entries. */
  readonly run: number;
}

/**
 * An entry of an older file that may be referred to, with its run's number in this one; 0 where it belongs to
 * none.
 */
export interface CarriedTarget {
  readonly seq: number;
  readonly kind: number;
  readonly number: number;
}

/**
 * Checks what entries refer to. The last million entries are in three flat arrays; older ones are looked up,
 * and the index used for that is proved by the integrity check. Of older files there are those that this one
 * carries on.
 */
export class Targets {
  readonly #kinds = new Uint8Array(WINDOW);
  readonly #taken = new Uint8Array(WINDOW);
  readonly #runs = new Int32Array(WINDOW);
  #carried: ReadonlyMap<number, Target> = new Map();
  #find: Statement<[number], OldTarget> | undefined;
  /** The last entry before the file. */
  #before = 0;

  /** Goes on in a file that begins behind entry `before`. */
  enter(db: Database, before: number, carried: readonly CarriedTarget[]): void {
    this.#find = db.prepare(
      'SELECT kind, run, (SELECT count(*) FROM entry WHERE ref = t.seq) AS referrers FROM entry t WHERE seq = ?',
    );
    this.#before = before;
    this.#carried = new Map(
      carried.map(({ seq, kind, number }) => [seq, { kind, run: number, taken: false }]),
    );
  }

  /** Notes an entry; `run` 0 for system entries. */
  add(seq: number, kind: number, run: number): void {
    const at = seq & (WINDOW - 1);
    this.#kinds[at] = kind;
    this.#runs[at] = run;
    this.#taken[at] = 0;
  }

  /** What is wrong with entry `seq` referring to `ref`, or null. */
  wrong(seq: number, { rule, run }: Referrer, ref: number | null): string | null {
    if (ref === null) return rule.required ? 'it refers to nothing, though it reports on something' : null;
    if (!(ref >= 1 && ref < seq)) return `it refers to ${ref}, which does not come before it`;
    if (ref <= this.#before) return this.#wrongCarried(rule, run, ref);
    if (seq - ref >= WINDOW) return this.#wrongOld(rule, run, ref);
    const at = ref & (WINDOW - 1);
    const isTaken = this.#taken[at] === 1;
    this.#taken[at] = 1;
    return unfit(rule, run, ref, this.#kinds[at] ?? 0, this.#runs[at] ?? 0, isTaken);
  }

  #wrongOld(rule: PairingRule, run: number, ref: number): string | null {
    const row = this.#find?.get(ref);
    return row === undefined
      ? `it refers to ${ref}, which is not there`
      : unfit(rule, run, ref, row.kind, row.run ?? 0, row.referrers > 1);
  }

  #wrongCarried(rule: PairingRule, run: number, ref: number): string | null {
    const target = this.#carried.get(ref);
    if (target === undefined) return `it refers to ${ref}, which its file does not go on with`;
    const isTaken = target.taken;
    target.taken = true;
    return unfit(rule, run, ref, target.kind, target.run, isTaken);
  }
}

/** What keeps an entry of `run` from referring to `ref`, an entry of `kind` and `otherRun`. */
function unfit(
  rule: PairingRule,
  run: number,
  ref: number,
  kind: number,
  otherRun: number,
  isTaken: boolean,
): string | null {
  if (rule.target !== null && !rule.target.includes(kind)) return `it may not refer to ${ref}, by its kind`;
  if (rule.sameRun && otherRun !== run) return `it refers to ${ref}, an entry of another run`;
  return isTaken ? `${ref} has been referred to before` : null;
}
