import type { Database, Statement } from 'better-sqlite3';
import type { EntryChecker } from './entries.js';
import { entryOf, startOf, type HashedPage, type PageText } from './page-text.js';
import type { Finding } from './report.js';

interface PlainRow {
  readonly seq: number;
  readonly key: string;
  readonly ref: string;
  readonly ts: string;
  readonly hash: string;
  readonly body: string;
  readonly bytes: Buffer;
  readonly types: string;
}

const TYPES = 'integer,integer,integer,blob,text';

/**
 * Hands the entries of pages to the checker. A page that was hashed apart needs its texts compared only; one
 * that is not as it ought to be, or whose text holds U+FFFD (which invalid UTF-8 also decodes to), is read
 * again row by row, as bytes, and hashed from those: every finding about a hash comes from there.
 */
export class Pages {
  readonly #plain: Statement<[number, number], PlainRow>;
  readonly #start: string;

  constructor(db: Database, ledgerId: string) {
    this.#start = startOf(ledgerId);
    this.#plain = db.prepare(
      `SELECT seq, kind||','||code||','||coalesce(run,'')||','||coalesce(tool,'') AS key, coalesce(ref,'null') AS ref,
      CAST(ts AS TEXT) AS ts, lower(hex(hash)) AS hash, CAST(body AS TEXT) AS body, CAST(body AS BLOB) AS bytes,
      typeof(ts)||','||typeof(kind)||','||typeof(code)||','||typeof(hash)||','||typeof(body) AS types
      FROM entry NOT INDEXED WHERE seq BETWEEN ? AND ? ORDER BY seq`,
    );
  }

  /** Checks the page after the checker's last entry. */
  check(checker: EntryChecker, page: PageText): Finding | null {
    const { first, last, hashed } = page;
    const finding =
      hashed !== null ? this.#checkHashed(checker, page, hashed) : this.#checkPlain(checker, first, last);
    return finding ?? checker.parts.blobs.settle(first, last);
  }

  #checkHashed(checker: EntryChecker, page: PageText, hashed: HashedPage): Finding | null {
    const { length } = hashed.leaves;
    for (let index = 0; index < length; index += 1) {
      const entry = entryOf(page, hashed, this.#start, index);
      const finding = checker.checkHashed(entry, entry.hash);
      if (finding !== null) return finding;
    }
    return null;
  }

  #checkPlain(checker: EntryChecker, first: number, end: number): Finding | null {
    for (const row of this.#plain.iterate(first, end)) {
      const seq = checker.frontier.size + 1;
      if (row.seq !== seq) return missing(seq);
      if (row.types !== TYPES) {
        return { seq, class: 'type', detail: `its columns have the types ${row.types}` };
      }
      const { key, ref, ts, hash, body, bytes } = row;
      const finding = checker.check({ key, ref, ts, hash, body }, bytes);
      if (finding !== null) return finding;
    }
    return checker.frontier.size === end ? null : missing(checker.frontier.size + 1);
  }
}

function missing(seq: number): Finding {
  return { seq, class: 'missing', detail: 'it is not there' };
}
