import type { Database, Statement } from 'better-sqlite3';
import { Bytes } from './bytes.js';
import type { EntryChecker } from './entries.js';
import { startOf, type Page } from './page-text.js';
import type { Finding } from './report.js';
import { COLUMNS, GAP, readRows, type Row } from './row.js';

interface PlainRow {
  readonly seq: number;
  readonly columns: string;
  readonly hash: Buffer;
  readonly body: Buffer;
  readonly types: string;
}

const TYPES = 'integer,integer,integer,blob,text';

/**
 * Hands the entries of pages to the checker. A page that is not as it ought to be, or whose text holds U+FFFD
 * (which invalid UTF-8 also decodes to), is read again row by row, as bytes, and hashed from those: every
 * finding about a hash comes from there.
 */
export class Pages {
  readonly #plain: Statement<[number, number], PlainRow>;
  readonly #start: string;

  constructor(db: Database, ledgerId: string) {
    this.#start = startOf(ledgerId);
    this.#plain = db.prepare(
      `SELECT seq, concat(${COLUMNS}) AS columns, hash, CAST(body AS BLOB) AS body,
      typeof(ts)||','||typeof(kind)||','||typeof(code)||','||typeof(hash)||','||typeof(body) AS types
      FROM entry NOT INDEXED WHERE seq BETWEEN ? AND ? ORDER BY seq`,
    );
  }

  /** Checks the page after the checker's last entry. */
  check(checker: EntryChecker, { first, last, rows }: Page): Finding | null {
    const finding = rows === null ? this.#checkPlain(checker, first, last) : checkRows(checker, rows);
    return finding ?? checker.parts.blobs.settle(first, last);
  }

  #checkPlain(checker: EntryChecker, first: number, end: number): Finding | null {
    for (const plain of this.#plain.iterate(first, end)) {
      const seq = checker.frontier.size + 1;
      if (plain.seq !== seq) return missing(seq);
      if (plain.types !== TYPES) {
        return { seq, class: 'type', detail: `its columns have the types ${plain.types}` };
      }
      const rows = this.#rowOf(plain, checker.leaf);
      if (rows === null) return { seq, class: 'hash', detail: 'body and predecessor do not give its hash' };
      const finding = checkRows(checker, rows);
      if (finding !== null) return finding;
    }
    return checker.frontier.size === end ? null : missing(checker.frontier.size + 1);
  }

  /** A page of one entry. */
  #rowOf({ seq, columns, hash, body }: PlainRow, before: string): Row[] | null {
    const start = this.#start;
    const bytes = new Bytes(Buffer.concat([Buffer.from(`${columns}${start}${seq}${GAP}`), body]));
    return readRows({ bytes, length: bytes.length, start, first: seq, count: 1, before, hashes: hash });
  }
}

function checkRows(checker: EntryChecker, rows: readonly Row[]): Finding | null {
  for (const row of rows) {
    const finding = checker.check(row);
    if (finding !== null) return finding;
  }
  return null;
}

function missing(seq: number): Finding {
  return { seq, class: 'missing', detail: 'it is not there' };
}
