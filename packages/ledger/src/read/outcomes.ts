import { canonicalize, nextTurn } from '@subluminal/core-types';
import { closesEffect, KINDS, opensEffect } from '../entry/kinds.js';
import { openList } from '../head/row.js';
import { DICT_KINDS } from '../store/dictionary.js';
import type { LedgerFiles } from './files.js';
import type { OneFile } from './one-file.js';
import { Related } from './related.js';
import type { LedgerRow } from './row.js';

/** What the ledger holds of a request id. */
export interface SeenOutcome {
  /** The entry that claimed the id: decision, pending or rejection. */
  readonly claimed: LedgerRow;
  /** The entry that reports its outcome; null while there is none. */
  readonly result: LedgerRow | null;
}

/** What has become of requests: the questions a gateway asks before it acts again. */
export class Outcomes {
  readonly #files: LedgerFiles<OneFile>;
  readonly #related: Related;

  constructor(files: LedgerFiles<OneFile>) {
    this.#files = files;
    this.#related = new Related(files);
  }

  /** The recorded outcome of a request id in its run, or null where it was never claimed. */
  seen(runId: string | null, id: string): SeenOutcome | null {
    const looking = this.#look(runId, id);
    for (;;) {
      const step = looking.next();
      if (step.done === true) return step.value;
    }
  }

  /** The same, with a turn of the event loop for each file. */
  async seenInTurns(runId: string | null, id: string): Promise<SeenOutcome | null> {
    const looking = this.#look(runId, id);
    for (;;) {
      const step = looking.next();
      if (step.done === true) return step.value;
      await nextTurn();
    }
  }

  /**
   * Looks into one file after the other, and stops between them: up to the one in which the run began, before
   * which it has claimed nothing.
   */
  *#look(runId: string | null, id: string): Generator<undefined, SeenOutcome | null> {
    const run = runId === null ? null : canonicalize(runId);
    for (const file of this.#files.newestFirst()) {
      const seq = file.claimed(run, id);
      const claimed = seq === undefined ? undefined : file.entry(seq);
      if (claimed !== undefined) return { claimed, result: yield* this.#resultOf(claimed) };
      const number = run === null ? undefined : file.numberOf(DICT_KINDS.run, run);
      if (number !== undefined && beganIn(file, number)) return null;
      yield;
    }
    return null;
  }

  *#resultOf({ seq }: LedgerRow): Generator<undefined, LedgerRow | null> {
    for (const file of this.#files.oldestFirst(seq - 1)) {
      const row = file.referring(seq);
      if (row !== undefined) return closesEffect(KINDS[row.type]) ? row : null;
      yield;
    }
    return null;
  }

  /** Every entry that claimed a request id (ids are unique in a run only) or reports on one that did. */
  ofRequest(id: string, limit: number): LedgerRow[] {
    const claimed: LedgerRow[] = [];
    for (const file of this.#files.oldestFirst())
      claimed.push(...file.claims(id).flatMap((seq) => file.entry(seq) ?? []));
    const results = claimed.flatMap(({ seq }) => this.#related.referring(seq) ?? []);
    const found = new Map([...claimed, ...results].map((row) => [row.seq, row]));
    return [...found.values()].toSorted((a, b) => a.seq - b.seq).slice(0, limit);
  }

  /**
   * Pending actions and ALLOW decisions without a result, oldest first. The signed head lists those of its
   * time, so only the entries behind it are looked through. Those whose file lies elsewhere are left out.
   */
  dangling(): LedgerRow[] {
    return this.open().flatMap((seq) =>
      this.#files.holds(seq) ? (this.#files.holding(seq)?.entry(seq) ?? []) : [],
    );
  }

  /** The same by their numbers, and all of them. */
  open(): number[] {
    const { db } = this.#files.present;
    return db.transaction(() => {
      const note = db
        .prepare<[], { note: string; open: string }>('SELECT note, open FROM head WHERE id=1')
        .get();
      const size = Number(note?.note.split('\n', 2)[1] ?? 0);
      const open = new Set<number>(openList(note?.open ?? '[]'));
      const later = db.prepare<[number], { seq: number; kind: number; code: number; ref: number | null }>(
        'SELECT seq, kind, code, ref FROM entry NOT INDEXED WHERE seq > ? ORDER BY seq',
      );
      // No more than 255 lie behind a head that a writer has signed.
      for (const { seq, kind, code, ref } of later.all(size)) {
        if (opensEffect(kind, code)) open.add(seq);
        if (ref !== null && closesEffect(kind)) open.delete(ref);
      }
      return [...open];
    })();
  }
}

/** One that has ended has a number also in a file that only holds a pending entry of it open. */
function beganIn(file: OneFile, run: number): boolean {
  return !file.carries(run) && file.firstOf(run, 0) !== undefined;
}
