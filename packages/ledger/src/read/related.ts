import type { Database, Statement } from 'better-sqlite3';
import { RecentMap } from '../recent/recent-map.js';
import { ROW_COLUMNS, toRow, type LedgerRow, type StoredRow } from './row.js';

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
const RARE_KINDS = 'kind NOT IN (2,3,4,20,21)';

/** Finds the entries that belong together: of a call, of a run, of a shim. */
export class Related {
  readonly #callStart: Statement<[string, string], StoredRow>;
  readonly #referrer: Statement<[number], StoredRow>;
  readonly #ofRun: Statement<[number, string], StoredRow>;
  readonly #upstreams: Statement<[string, string], StoredRow>;
  readonly #blob: Statement<[number, string], Buffer>;
  readonly #runStarts = new RecentMap<string, LedgerRow>(CACHED);
  readonly #upstreamOf = new RecentMap<string, LedgerRow>(CACHED);

  constructor(db: Database) {
    const run = 'run = (SELECT id FROM dict WHERE kind = 1 AND name = ?)';
    // Newest first: a call that somebody asks for is mostly a recent one, and no index on ids has to be paid for.
    this.#callStart = db.prepare(
      `SELECT ${ROW_COLUMNS} FROM entry WHERE +kind = 2 AND instr(body, ?) > 0
      AND body->>'$.data.call.call_id' = ? ORDER BY seq DESC LIMIT 1`,
    );
    this.#referrer = db.prepare(`SELECT ${ROW_COLUMNS} FROM entry WHERE ref = ?`);
    this.#ofRun = db.prepare(
      `SELECT ${ROW_COLUMNS} FROM entry WHERE kind = ? AND ${RARE_KINDS} AND ${run} ORDER BY seq LIMIT 1`,
    );
    this.#upstreams = db.prepare(
      `SELECT ${ROW_COLUMNS} FROM entry WHERE kind = 30 AND ${RARE_KINDS} AND ${run}
      AND body->>'$.data.shim_id' = ? ORDER BY seq DESC LIMIT 1`,
    );
    this.#blob = db
      .prepare<[number, string], Buffer>('SELECT data FROM blob WHERE seq = ? AND slot = ?')
      .pluck();
  }

  /** The entry that refers to `seq`: a decision to its start, an end to its decision, a result to its pending. */
  referring(seq: number): LedgerRow | undefined {
    const stored = this.#referrer.get(seq);
    return stored === undefined ? undefined : toRow(stored);
  }

  /** The newest call with that id, or undefined. */
  call(callId: string): CallRows | undefined {
    const stored = this.#callStart.get(JSON.stringify(callId), callId);
    if (stored === undefined) return undefined;
    const start = toRow(stored);
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

  runStart(runId: string): LedgerRow | undefined {
    return (
      this.#runStarts.get(runId) ??
      this.#keep(this.#runStarts, runId, this.#ofRun.get(1, JSON.stringify(runId)))
    );
  }

  /** Not kept: a run may still end. */
  runEnd(runId: string): LedgerRow | undefined {
    const stored = this.#ofRun.get(5, JSON.stringify(runId));
    return stored === undefined ? undefined : toRow(stored);
  }

  upstream(runId: string, shimId: string): LedgerRow | undefined {
    const key = JSON.stringify([runId, shimId]);
    const known = this.#upstreamOf.get(key);
    return known ?? this.#keep(this.#upstreamOf, key, this.#upstreams.get(JSON.stringify(runId), shimId));
  }

  /** The text of a blob, or null where it was dropped. */
  blob(seq: number, slot: string): string | null {
    return this.#blob.get(seq, slot)?.toString('utf8') ?? null;
  }

  #keep(
    map: RecentMap<string, LedgerRow>,
    key: string,
    stored: StoredRow | undefined,
  ): LedgerRow | undefined {
    if (stored === undefined) return undefined;
    const row = toRow(stored);
    map.set(key, row);
    return row;
  }
}
