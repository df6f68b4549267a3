import type { Database, Statement } from 'better-sqlite3';
import type { RunSubject } from '@subluminal/gateway';
import { RunMemory } from './run-memory.js';

/** What is remembered of the runs that live. The registry of runs bounds them. */
export class RunMemories {
  readonly #db: Database;
  readonly #now: () => number;
  readonly #runs = new Map<string, RunMemory>();
  readonly #find: Statement<[string], string>;

  /** `now` gives epoch ms. */
  constructor(db: Database, now: () => number) {
    this.#db = db;
    this.#now = now;
    this.#find = db.prepare<[string], string>('SELECT kept FROM run_unusual WHERE run_id = ?').pluck();
  }

  /** Of a run that lives; as an earlier process kept it, where one did. */
  of(run: RunSubject): RunMemory {
    const known = this.#runs.get(run.id);
    if (known !== undefined) return known;
    const memory = new RunMemory(run);
    const kept = this.#find.get(run.id);
    if (kept !== undefined) memory.restore(kept, this.#now());
    this.#runs.set(run.id, memory);
    return memory;
  }

  /** The run is over. */
  forget(runId: string): void {
    this.#runs.delete(runId);
    this.#db.prepare('DELETE FROM run_unusual WHERE run_id = ?').run(runId);
  }

  /** Keeps what has changed, in one commit; without any there is none. Gives how many runs that were. */
  keep(): number {
    const changed = [...this.#runs].filter(([, memory]) => memory.changed);
    if (changed.length === 0) return 0;
    this.#db.transaction(() => {
      const put = this.#db.prepare('INSERT OR REPLACE INTO run_unusual VALUES (?, ?)');
      for (const [id, memory] of changed) put.run(id, memory.kept());
    })();
    for (const [, memory] of changed) memory.changed = false;
    return changed.length;
  }
}
