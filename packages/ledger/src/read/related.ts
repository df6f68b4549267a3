import { KINDS } from '../entry/kinds.js';
import { RecentMap } from '../recent/recent-map.js';
import type { LedgerFiles } from './files.js';
import type { OneFile } from './one-file.js';
import type { LedgerRow } from './row.js';

/** One tool call, from its entries. */
export interface CallRows {
  readonly start: LedgerRow;
  readonly decision: LedgerRow | null;
  readonly end: LedgerRow | null;
  /** Texts of the stored previews by slot; what was dropped is not among them. */
  readonly previews: Readonly<Record<string, string>>;
}

/** One run, from its first and last entry. */
export interface RunRows {
  readonly runId: string;
  readonly start: LedgerRow;
  /** Its `run_end`; null while it has none. */
  readonly end: LedgerRow | null;
}

const CACHED = 1024;

/** Finds the entries that belong together, in whichever files they stand: of a call, of a run, of a shim. */
export class Related {
  readonly #files: LedgerFiles<OneFile>;
  readonly #runStarts = new RecentMap<string, LedgerRow>(CACHED);
  readonly #upstreamOf = new RecentMap<string, LedgerRow>(CACHED);

  constructor(files: LedgerFiles<OneFile>) {
    this.#files = files;
  }

  /**
   * The entry that refers to `seq`: a decision to its start, an end to its decision, a result to its pending.
   */
  referring(seq: number): LedgerRow | undefined {
    for (const file of this.#files.oldestFirst(seq - 1)) {
      const row = file.referring(seq);
      if (row !== undefined) return row;
    }
    return undefined;
  }

  /** The newest call with that id, or undefined. */
  call(callId: string): CallRows | undefined {
    for (const file of this.#files.newestFirst()) {
      const start = file.callStart(callId);
      if (start !== undefined) return this.#callOf(start);
    }
    return undefined;
  }

  /** The start of a run that has an entry `seq`. */
  runStart(runId: string, seq: number): LedgerRow | undefined {
    const known = this.#runStarts.get(runId);
    if (known !== undefined) return known;
    for (const file of this.#files.newestFirst(seq)) {
      const row = file.rareOfRun(KINDS.run_start, JSON.stringify(runId));
      if (row === undefined) continue;
      this.#runStarts.set(runId, row);
      return row;
    }
    return undefined;
  }

  /** The end of a run that began with entry `seq`. Not kept: a run may still end. */
  runEnd(runId: string, seq: number): LedgerRow | undefined {
    for (const file of this.#files.oldestFirst(seq - 1)) {
      const row = file.rareOfRun(KINDS.run_end, JSON.stringify(runId));
      if (row !== undefined) return row;
    }
    return undefined;
  }

  /** The newest start of a shim's server, as the file knew it that holds an entry `seq` of that shim. */
  upstream(runId: string, shimId: string, seq: number): LedgerRow | undefined {
    for (const file of this.#files.newestFirst(seq)) {
      const key = JSON.stringify([file.base.segment, runId, shimId]);
      const row = this.#upstreamOf.get(key) ?? file.upstream(JSON.stringify(runId), shimId);
      if (row === undefined) continue;
      this.#upstreamOf.set(key, row);
      return row;
    }
    return undefined;
  }

  /** The text of a blob, or null where it was dropped. Throws `not_found` where its file is not there. */
  blob(seq: number, slot: string): string | null {
    return this.#files.holding(seq)?.blob(seq, slot) ?? null;
  }

  #callOf(start: LedgerRow): CallRows {
    const decision = this.referring(start.seq) ?? null;
    const end = decision === null ? null : (this.referring(decision.seq) ?? null);
    const previews: Record<string, string> = {};
    for (const row of [start, end]) {
      for (const slot of Object.keys(row?.blobs ?? {})) {
        const text = row === null ? null : this.blob(row.seq, slot);
        if (text !== null) previews[slot] = text;
      }
    }
    return { start, decision, end, previews };
  }
}
