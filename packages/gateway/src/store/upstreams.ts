import type { ProcessIdentity } from '@subluminal/core-types';
import type { Database, Statement } from 'better-sqlite3';

/** An MCP server that a shim has started or is about to start. */
export interface Upstream {
  /** In the environment of everything that the shim starts. Stored nowhere else; the ledger has its hash. */
  readonly token: string;
  readonly runId: string;
  readonly shimId: string;
  readonly shim: ProcessIdentity;
  /** Its `upstream_begin` entry. */
  readonly beginSeq: number;
  /** Names the server and its command line as they were announced; null: an older gateway took it in. */
  readonly aboutHash: string | null;
  /** What was released for it, as JSON without values; null: nothing was asked for. */
  readonly secrets: string | null;
}

interface Row {
  readonly token: string;
  readonly run_id: string;
  readonly shim_id: string;
  readonly shim_pid: number;
  readonly shim_start: string;
  readonly begin_seq: number;
  readonly about_hash: string | null;
  readonly secrets: string | null;
}

/**
 * Upstreams whose end nobody has reported: what must not outlive its shim, also across restarts of the
 * gateway.
 */
export class UpstreamStore {
  readonly #db: Database;
  readonly #withPlaceholders: Statement<[string], Row>;
  readonly #folders: Statement<[string, string], string>;

  constructor(db: Database) {
    this.#db = db;
    // Asked for every connection of a run.
    this.#withPlaceholders = db.prepare(
      `SELECT * FROM upstream WHERE run_id = ? AND instr(secrets, '"inject":"egress"') > 0 ORDER BY begin_seq`,
    );
    // Asked for every call whose objects are read.
    this.#folders = db
      .prepare<[string, string], string>(
        `SELECT iif(coalesce(secrets, '[]') = '[]', cwd, '~') FROM upstream
         WHERE run_id = ? AND shim_id = ? AND cwd IS NOT NULL ORDER BY begin_seq`,
      )
      .pluck();
  }

  /** `cwd` is the folder in which it starts, unless secrets are released for it. */
  add(upstream: Omit<Upstream, 'secrets'>, cwd: string | undefined): void {
    const { token, runId, shimId, shim, beginSeq, aboutHash } = upstream;
    this.#db
      .prepare('INSERT INTO upstream VALUES(?, ?, ?, ?, ?, ?, ?, NULL, ?)')
      .run(token, runId, shimId, shim.pid, shim.start, beginSeq, aboutHash, cwd ?? null);
  }

  /** The folders in which the servers of a shim started; `~` is the home. */
  foldersOf(runId: string, shimId: string): readonly string[] {
    return this.#folders.all(runId, shimId);
  }

  /** The folders that the servers of a run were to start in, whatever was released for them. */
  placesOf(runId: string): readonly string[] {
    return this.#db
      .prepare<[string], string>('SELECT DISTINCT cwd FROM upstream WHERE run_id = ? AND cwd IS NOT NULL')
      .pluck()
      .all(runId);
  }

  /** Remembers what was released for one. */
  noteSecrets(token: string, secrets: string): void {
    this.#db.prepare('UPDATE upstream SET secrets = ? WHERE token = ?').run(secrets, token);
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

  /** Those of a run for which placeholders were released. */
  withPlaceholders(runId: string): Upstream[] {
    return this.#withPlaceholders.all(runId).map(toUpstream);
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
    about_hash: aboutHash,
    secrets,
  } = row;
  return { token, runId, shimId, shim: { pid, start }, beginSeq, aboutHash, secrets };
}
