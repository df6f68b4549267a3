import type { ProcessIdentity } from '@subluminal/core-types';
import type { Database } from 'better-sqlite3';

/** An MCP server that a shim has started or is about to start. */
export interface Upstream {
  /** In the environment of everything that the shim starts. Stored nowhere else; the ledger has its hash. */
  readonly token: string;
  readonly runId: string;
  readonly shimId: string;
  readonly shim: ProcessIdentity;
  /** Its `upstream_begin` entry. */
  readonly beginSeq: number;
}

interface Row {
  readonly token: string;
  readonly run_id: string;
  readonly shim_id: string;
  readonly shim_pid: number;
  readonly shim_start: string;
  readonly begin_seq: number;
}

/** Upstreams whose end nobody has reported: what must not outlive its shim, also across restarts of the gateway. */
export class UpstreamStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
    db.exec(`CREATE TABLE IF NOT EXISTS upstream(
  token TEXT PRIMARY KEY,
  run_id TEXT NOT NULL,
  shim_id TEXT NOT NULL,
  shim_pid INTEGER NOT NULL,
  shim_start TEXT NOT NULL,
  begin_seq INTEGER NOT NULL
) STRICT, WITHOUT ROWID`);
  }

  add(upstream: Upstream): void {
    const { token, runId, shimId, shim, beginSeq } = upstream;
    this.#db
      .prepare('INSERT INTO upstream VALUES(?, ?, ?, ?, ?, ?)')
      .run(token, runId, shimId, shim.pid, shim.start, beginSeq);
  }

  remove(token: string): void {
    this.#db.prepare('DELETE FROM upstream WHERE token = ?').run(token);
  }

  find(token: string): Upstream | undefined {
    const row = this.#db.prepare<[string], Row>('SELECT * FROM upstream WHERE token = ?').get(token);
    return row === undefined ? undefined : toUpstream(row);
  }

  /** How many a run has. */
  count(runId: string): number {
    return (
      this.#db
        .prepare<[string], number>('SELECT count(*) FROM upstream WHERE run_id = ?')
        .pluck()
        .get(runId) ?? 0
    );
  }

  all(): Upstream[] {
    return this.#db.prepare<[], Row>('SELECT * FROM upstream ORDER BY begin_seq').all().map(toUpstream);
  }
}

function toUpstream(row: Row): Upstream {
  const {
    token,
    run_id: runId,
    shim_id: shimId,
    shim_pid: pid,
    shim_start: start,
    begin_seq: beginSeq,
  } = row;
  return { token, runId, shimId, shim: { pid, start }, beginSeq };
}
