import type { Database, Statement } from 'better-sqlite3';
import type { Predecessor } from '../segments/predecessor.js';
import { DICT_KINDS } from '../store/dictionary.js';
import type { Frames } from './names.js';
import type { Finding } from './report.js';

/** What was claimed in the file before, for the runs that go on from there, the gateway among them. */
export interface OlderClaims {
  readonly file: Predecessor;
  readonly names: ReadonlyMap<number, string | null>;
}

/**
 * Holds the claimed request ids of a file against the bodies that claim them: neither may exist without the
 * other.
 */
export class SeenIds {
  readonly #db: Database;
  readonly #frames: Frames;
  readonly #older: OlderClaims | undefined;
  readonly #find: Statement<[string, number], number>;
  readonly #runNumber: Statement<[number, string], number>;
  #claims = 0;

  constructor(db: Database, frames: Frames, older: OlderClaims | undefined) {
    this.#db = db;
    this.#frames = frames;
    this.#older = older;
    this.#find = db
      .prepare<[string, number], number>('SELECT seq FROM seen WHERE id = ? AND run = ?')
      .pluck();
    this.#runNumber = db
      .prepare<[number, string], number>('SELECT id FROM dict WHERE kind=? AND name=?')
      .pluck();
  }

  /** Checks a claim of entry `seq`. `run` undefined: the entry's own run, whose number is `ownRun`. */
  check(seq: number, ownRun: number, claim: { id: string; run: string | null | undefined }): Finding | null {
    const run = claim.run === undefined ? ownRun : claim.run === null ? 0 : this.#numberOf(claim.run);
    this.#claims += 1;
    if (run === undefined || this.#find.get(claim.id, run) !== seq) {
      const detail = `it claims the request id \`${claim.id}\`, which is not recorded as claimed by it`;
      return { seq, class: 'seen', detail };
    }
    const name = this.#older?.names.get(run);
    const older = name === undefined ? undefined : this.#older?.file.claimed(name, claim.id);
    if (older === undefined) return null;
    return {
      seq,
      class: 'seen',
      detail: `it claims the request id \`${claim.id}\`, which entry ${older} had claimed before`,
    };
  }

  /** After the last entry: as many rows as claims, so every row has its claim. */
  settle(): Finding | null {
    const rows = this.#db.prepare<[], number>('SELECT count(*) FROM seen').pluck().get();
    if (rows === this.#claims) return null;
    const row = this.#db
      .prepare<[], { seq: number; id: string }>(
        `SELECT s.seq, s.id FROM seen s LEFT JOIN entry e ON e.seq = s.seq
        WHERE e.seq IS NULL OR s.id IS NOT coalesce(e.body->>'$.data."#seen"[1]', e.body->>'$.data."#seen"') LIMIT 1`,
      )
      .get();
    return {
      seq: row?.seq ?? 0,
      class: 'seen',
      detail: `the request id \`${row?.id ?? '?'}\` is recorded but no entry claims it`,
    };
  }

  #numberOf(run: string): number | undefined {
    const id = this.#runNumber.get(DICT_KINDS.run, JSON.stringify(run));
    // A claim uses the name of its run; 0 is no number of a name.
    this.#frames.name(id ?? 0, DICT_KINDS.run);
    return id;
  }
}
