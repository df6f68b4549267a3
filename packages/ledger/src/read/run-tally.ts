import type { Database, Statement } from 'better-sqlite3';
import { nameOfCode, typeOfKind, type CodeName, type EntryType } from '../entry/kinds.js';

/** How many entries of one type and code a run has. */
export interface RunCount {
  readonly type: EntryType;
  readonly code: CodeName | null;
  readonly count: number;
}

interface CountRow {
  readonly kind: number;
  readonly code: number;
  readonly count: number;
}

interface CallRow {
  readonly seq: number;
  readonly id: unknown;
}

const PAGE = 1000;
const RUN = 'run = (SELECT id FROM dict WHERE kind = 1 AND name = ?)';

/** Counts a run's entries without reading them into memory: a run may have lived for weeks. */
export class RunTally {
  readonly #counts: Statement<[string], CountRow>;
  readonly #calls: Statement<[string, number], CallRow>;

  constructor(db: Database) {
    this.#counts = db.prepare(
      `SELECT kind, code, count(*) AS count FROM entry INDEXED BY e_run WHERE ${RUN} GROUP BY kind, code`,
    );
    this.#calls = db.prepare(
      `SELECT seq, body->>'$.data.call.call_id' AS id FROM entry INDEXED BY e_run
      WHERE ${RUN} AND seq > ? AND +kind = 2 ORDER BY seq LIMIT ${PAGE}`,
    );
  }

  /** By type and code; `name` is the run's JSON text. */
  counts(name: string): RunCount[] {
    return this.#counts.all(name).flatMap(({ kind, code, count }) => {
      const type = typeOfKind(kind);
      const codeName = nameOfCode(code);
      return type === undefined || codeName === undefined ? [] : [{ type, code: codeName, count }];
    });
  }

  /** The ids of its calls, in the order in which they began. */
  *callIds(name: string): Iterable<string> {
    for (let after = 0, rows = this.#calls.all(name, after); rows.length > 0;) {
      for (const { id } of rows) if (typeof id === 'string') yield id;
      after = rows.at(-1)?.seq ?? after;
      rows = this.#calls.all(name, after);
    }
  }
}
