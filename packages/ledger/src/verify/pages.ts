import type { Database, Statement } from 'better-sqlite3';
import type { EntryChecker, EntryText } from './entries.js';
import type { Finding } from './report.js';

const PAGE = 256;
const COLUMN = '\u001f';
const ROW = '\u001e';

type Aggregate = [count: number, first: number | null, last: number | null, text: string | null];

interface PlainRow {
  readonly seq: number;
  readonly key: string;
  readonly ref: string;
  readonly ts: string;
  readonly hash: string | null;
  readonly body: string;
  readonly bytes: Buffer;
  readonly types: string;
}

const KEY = `kind||','||code||','||coalesce(run,'')||','||coalesce(tool,'')`;
const TYPES = 'integer,integer,integer,blob,text';

/**
 * Reads entries a page at a time as one string: SQLite joins a page's columns faster than it can hand them over one by
 * one. The separators are control characters, which no canonical JSON holds unescaped. A page that is not as it ought
 * to be, or whose text holds U+FFFD (which invalid UTF-8 also decodes to), is read again row by row, as bytes.
 */
export class Pages {
  readonly #joined: Statement<[number, number], Aggregate>;
  readonly #plain: Statement<[number, number], PlainRow>;

  constructor(db: Database) {
    this.#joined = db
      .prepare<[number, number], Aggregate>(
        `SELECT count(*), min(seq), max(seq), group_concat(line, char(30)) FROM (SELECT seq,
        ${KEY}||char(31)||coalesce(ref,'null')||char(31)||ts||char(31)||lower(hex(hash))||char(31)||body AS line
        FROM entry NOT INDEXED WHERE seq BETWEEN ? AND ? ORDER BY seq)`,
      )
      .raw();
    this.#plain = db.prepare(
      `SELECT seq, ${KEY} AS key, coalesce(ref,'null') AS ref, CAST(ts AS TEXT) AS ts, lower(hex(hash)) AS hash,
      CAST(body AS TEXT) AS body, CAST(body AS BLOB) AS bytes,
      typeof(ts)||','||typeof(kind)||','||typeof(code)||','||typeof(hash)||','||typeof(body) AS types
      FROM entry NOT INDEXED WHERE seq BETWEEN ? AND ? ORDER BY seq`,
    );
  }

  /** Checks the page after the checker's last entry; `last` is the ledger's newest seq. */
  check(checker: EntryChecker, last: number): Finding | null {
    const first = checker.frontier.size + 1;
    const end = Math.min(last, first + PAGE - 1);
    const [count, low, high, text] = this.#joined.get(first, end) ?? [0, null, null, null];
    const lines = text?.split(ROW) ?? [];
    const whole = count === end - first + 1 && low === first && high === end && lines.length === count;
    const finding =
      whole && text !== null && !text.includes('\uFFFD')
        ? checkLines(checker, lines)
        : this.#checkPlain(checker, first, end);
    return finding ?? checker.blobs.settle(first, end);
  }

  #checkPlain(checker: EntryChecker, first: number, end: number): Finding | null {
    for (const row of this.#plain.iterate(first, end)) {
      const seq = checker.frontier.size + 1;
      if (row.seq !== seq) return missing(seq);
      if (row.types !== TYPES || row.hash === null) {
        return { seq, class: 'type', detail: `its columns have the types ${row.types}` };
      }
      const { key, ref, ts, hash, body, bytes } = row;
      const finding = checker.check({ key, ref, ts, hash, body, bytes });
      if (finding !== null) return finding;
    }
    return checker.frontier.size === end ? null : missing(checker.frontier.size + 1);
  }
}

function checkLines(checker: EntryChecker, lines: readonly string[]): Finding | null {
  for (const line of lines) {
    const finding = checker.check(splitLine(line));
    if (finding !== null) return finding;
  }
  return null;
}

function splitLine(line: string): EntryText {
  const afterKey = line.indexOf(COLUMN);
  const afterRef = line.indexOf(COLUMN, afterKey + 1);
  const afterTs = line.indexOf(COLUMN, afterRef + 1);
  const afterHash = afterTs + 65;
  return {
    key: line.slice(0, afterKey),
    ref: line.slice(afterKey + 1, afterRef),
    ts: line.slice(afterRef + 1, afterTs),
    hash: line.slice(afterTs + 1, afterHash),
    body: line.slice(afterHash + 1),
  };
}

function missing(seq: number): Finding {
  return { seq, class: 'missing', detail: 'it is not there' };
}
