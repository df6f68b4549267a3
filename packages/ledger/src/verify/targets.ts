import type { Database, Statement } from 'better-sqlite3';
import { pairingRule } from '../entry/pairing.js';

const WINDOW = 1 << 20;

interface OldTarget {
  readonly kind: number;
  readonly run: number | null;
  readonly referrers: number;
}

/**
 * Checks what entries refer to. The last million entries are in three flat arrays; older ones are looked up, and the
 * index used for that is proved by the integrity check.
 */
export class Targets {
  readonly #kinds = new Uint8Array(WINDOW);
  readonly #taken = new Uint8Array(WINDOW);
  readonly #runs = new Int32Array(WINDOW);
  readonly #find: Statement<[number], OldTarget>;

  constructor(db: Database) {
    this.#find = db.prepare(
      'SELECT kind, run, (SELECT count(*) FROM entry WHERE ref = t.seq) AS referrers FROM entry t WHERE seq = ?',
    );
  }

  /** Notes an entry; `run` 0 for system entries. */
  add(seq: number, kind: number, run: number): void {
    const at = seq & (WINDOW - 1);
    this.#kinds[at] = kind;
    this.#runs[at] = run;
    this.#taken[at] = 0;
  }

  /** What is wrong with entry `seq` of `kind` referring to `ref`, or null. */
  wrong(seq: number, kind: number, run: number, ref: number | null): string | null {
    const rule = pairingRule(kind);
    if (ref === null) return rule.required ? 'it refers to nothing, though it reports on something' : null;
    if (!(ref >= 1 && ref < seq)) return `it refers to ${ref}, which does not come before it`;
    const target = seq - ref < WINDOW ? this.#recent(ref) : this.#old(ref);
    if (target === undefined) return `it refers to ${ref}, which is not there`;
    if (rule.target !== null && !rule.target.includes(target.kind))
      return `it may not refer to ${ref}, by its kind`;
    if (rule.sameRun && target.run !== run) return `it refers to ${ref}, an entry of another run`;
    return target.taken ? `${ref} has been referred to before` : null;
  }

  #recent(ref: number): { kind: number; run: number; taken: boolean } {
    const at = ref & (WINDOW - 1);
    const taken = this.#taken[at] === 1;
    this.#taken[at] = 1;
    return { kind: this.#kinds[at] ?? 0, run: this.#runs[at] ?? 0, taken };
  }

  #old(ref: number): { kind: number; run: number; taken: boolean } | undefined {
    const row = this.#find.get(ref);
    return row && { kind: row.kind, run: row.run ?? 0, taken: row.referrers > 1 };
  }
}
