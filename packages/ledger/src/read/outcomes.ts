import type { Database, Statement } from 'better-sqlite3';
import { canonicalize } from '@subluminal/core-types';
import { closesEffect, opensEffect } from '../entry/kinds.js';
import { DICT_KINDS } from '../store/dictionary.js';
import { ROW_COLUMNS, toRow, type LedgerRow, type StoredRow } from './row.js';

/** What the ledger holds of a request id. */
export interface SeenOutcome {
  /** The entry that claimed the id: decision, pending or rejection. */
  readonly claimed: LedgerRow;
  /** The entry that reports its outcome; null while there is none. */
  readonly result: LedgerRow | null;
}

/** What has become of requests: the questions a gateway asks before it acts again. */
export class Outcomes {
  readonly #db: Database;
  readonly #dict: Statement<[number, string], number>;
  readonly #seen: Statement<[string, number], number>;
  readonly #entry: Statement<[number], StoredRow>;
  readonly #referrer: Statement<[number], StoredRow>;

  constructor(db: Database) {
    this.#db = db;
    this.#dict = db.prepare<[number, string], number>('SELECT id FROM dict WHERE kind=? AND name=?').pluck();
    this.#seen = db.prepare<[string, number], number>('SELECT seq FROM seen WHERE id=? AND run=?').pluck();
    this.#entry = db.prepare(`SELECT ${ROW_COLUMNS} FROM entry WHERE seq=?`);
    this.#referrer = db.prepare(`SELECT ${ROW_COLUMNS} FROM entry WHERE ref=?`);
  }

  /** The recorded outcome of a request id in its run, or null where it was never claimed. */
  seen(runId: string | null, id: string): SeenOutcome | null {
    const run = runId === null ? 0 : this.#dict.get(DICT_KINDS.run, canonicalize(runId));
    const seq = run === undefined ? undefined : this.#seen.get(id, run);
    const claimed = seq === undefined ? undefined : this.#entry.get(seq);
    if (claimed === undefined) return null;
    const result = this.#referrer.get(claimed.seq);
    return {
      claimed: toRow(claimed),
      result: result !== undefined && closesEffect(result.kind) ? toRow(result) : null,
    };
  }

  /**
   * Pending actions and ALLOW decisions without a result, oldest first. The signed head lists those of its time, so
   * only the entries behind it are looked through.
   */
  dangling(): LedgerRow[] {
    return this.#db.transaction(() => {
      const note = this.#db
        .prepare<[], { note: string; open: string }>('SELECT note, open FROM head WHERE id=1')
        .get();
      const size = Number(note?.note.split('\n', 2)[1] ?? 0);
      const open = new Set<number>(openList(note?.open));
      const later = this.#db.prepare<
        [number],
        { seq: number; kind: number; code: number; ref: number | null }
      >('SELECT seq, kind, code, ref FROM entry NOT INDEXED WHERE seq > ? ORDER BY seq');
      // No more than 255 lie behind a head that a writer has signed.
      for (const { seq, kind, code, ref } of later.all(size)) {
        if (opensEffect(kind, code)) open.add(seq);
        if (ref !== null && closesEffect(kind)) open.delete(ref);
      }
      return [...open].flatMap((seq) => this.#entry.get(seq) ?? []).map(toRow);
    })();
  }
}

function openList(text: string | undefined): number[] {
  return text === undefined || text === '[]' ? [] : text.slice(1, -1).split(',').map(Number);
}
