import type { SweepMemory } from '@subluminal/ledger';
import type { Database } from 'better-sqlite3';
import * as z from 'zod';

const Count = z.number().int().nonnegative();
const Memory: z.ZodType<SweepMemory> = z.object({
  upTo: Count,
  leaf: z.string(),
  asked: z.array(z.string()),
  files: z.array(z.tuple([Count, z.number()])),
  runs: z.array(
    z.object({
      runId: z.string(),
      first: Count,
      counts: z.array(z.tuple([Count, Count, Count])),
      series: z.array(z.object({ id: z.string(), seq: Count })),
    }),
  ),
});

/**
 * The counts over the ledger up to some entry, so that a start counts on from there. They can be lost: they
 * only spare the counting, and the entry's leaf tells whether they are still of this ledger.
 */
export class SweepStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Undefined where there is none, or none of this form. */
  read(): SweepMemory | undefined {
    const text = this.#db.prepare<[], string>('SELECT memory FROM swept').pluck().get();
    return text === undefined ? undefined : parse(text);
  }

  write(memory: SweepMemory): void {
    this.#db.prepare('INSERT OR REPLACE INTO swept VALUES(1, ?)').run(JSON.stringify(memory));
  }
}

function parse(text: string): SweepMemory | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    // Everything is counted anew.
    return undefined;
  }
  return Memory.safeParse(parsed).data;
}
