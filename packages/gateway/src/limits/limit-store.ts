import type { Database } from 'better-sqlite3';
import * as z from 'zod';
import type { JsonObject } from '@subluminal/core-types';
import type { KeptLimits } from './run-limits.js';

const Kept: z.ZodType<KeptLimits> = z.object({
  // What is in it, only the policy knows.
  state: z.custom<JsonObject>((value) => typeof value === 'object' && value !== null),
  waivers: z.array(
    z.object({
      rule_id: z.string(),
      server_name: z.string(),
      tool_name: z.string(),
      args_hash: z.string().nullable(),
    }),
  ),
  charged: z.array(z.string()),
  settled: z.array(z.string()),
  isTerminated: z.boolean(),
});

/** Up to which entry the limits of all runs go; its leaf tells whether it is still of this ledger. */
export interface LimitsMark {
  readonly upTo: number;
  readonly leaf: string;
}

/**
 * The counts of the limits of live runs up to some entry, so that a start counts on from there. They can be
 * lost: they only spare the counting. A run that is not in here had counted nothing by then.
 */
export class LimitStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Undefined where nothing was ever kept. */
  mark(): LimitsMark | undefined {
    return this.#db.prepare<[], LimitsMark>('SELECT up_to AS upTo, leaf FROM limits_mark').get();
  }

  /**
   * The kept counts of a run: undefined where it had counted nothing, `unreadable` where it is not of this
   * form.
   */
  read(runId: string): KeptLimits | undefined | 'unreadable' {
    const find = this.#db.prepare<[string], string>('SELECT kept FROM run_limits WHERE run_id = ?').pluck();
    const text = find.get(runId);
    return text === undefined ? undefined : (parse(text) ?? 'unreadable');
  }

  /**
   * All of it at once: the mark goes for the runs that are not in `changed` as well. Runs that have ended are
   * forgotten.
   */
  write(mark: LimitsMark, changed: ReadonlyMap<string, KeptLimits>): void {
    this.#db.transaction(() => {
      const put = this.#db.prepare('INSERT OR REPLACE INTO run_limits VALUES(?, ?)');
      for (const [runId, kept] of changed) put.run(runId, JSON.stringify(kept));
      this.#db.exec('DELETE FROM run_limits WHERE run_id NOT IN (SELECT id FROM live_run)');
      this.#db.prepare('INSERT OR REPLACE INTO limits_mark VALUES(1, ?, ?)').run(mark.upTo, mark.leaf);
    })();
  }

  /** Forgets everything: it is not of this ledger. */
  clear(): void {
    this.#db.exec('DELETE FROM run_limits; DELETE FROM limits_mark');
  }
}

function parse(text: string): KeptLimits | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    // Everything is counted anew.
    return undefined;
  }
  return Kept.safeParse(parsed).data;
}
