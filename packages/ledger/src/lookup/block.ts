import type { Database } from 'better-sqlite3';
import { KINDS } from '../entry/kinds.js';
import { markOf } from './marks.js';

/** Entries of a block; the last one of a closed file may hold fewer. */
export const BLOCK_ENTRIES = 256;

/** The facts of a block: of entries of one file that follow one another. */
export interface Block {
  readonly first: number;
  readonly last: number;
  /** Lowercase hex. */
  readonly leaf: string;
  readonly minTs: number;
  readonly maxTs: number;
  readonly marks: ReadonlySet<number>;
}

/** Aggregates in SQL: a row that is handed to JavaScript costs several times one that is not. */
interface Summary {
  readonly first: number | null;
  readonly last: number;
  readonly minTs: number;
  readonly maxTs: number;
  /** JSON arrays. */
  readonly kinds: string;
  readonly codes: string;
  readonly tools: string;
}

const SUMMARY = `SELECT min(seq) AS first, max(seq) AS last, min(ts) AS minTs, max(ts) AS maxTs,
    json_group_array(DISTINCT kind) AS kinds, json_group_array(DISTINCT code) AS codes,
    json_group_array(DISTINCT tool) AS tools
  FROM (SELECT seq, ts, kind, code, tool FROM entry NOT INDEXED WHERE seq > ? ORDER BY seq LIMIT ${BLOCK_ENTRIES})`;
const NAMES = 'SELECT name FROM dict WHERE id IN (SELECT value FROM json_each(?))';
const CALLS = `SELECT DISTINCT body->>'$.data.call.call_id' FROM entry NOT INDEXED
  WHERE seq BETWEEN ? AND ? AND kind = ${KINDS.tool_call_start}`;
const LEAF = 'SELECT lower(hex(hash)) FROM entry WHERE seq = ?';

/** The block behind an entry of a file; undefined where no entry follows. */
export function readBlock(db: Database, after: number): Block | undefined {
  const summary = db.prepare<[number], Summary>(SUMMARY).get(after);
  if (summary === undefined || summary.first === null) return undefined;
  const { first, last, minTs, maxTs, kinds, codes, tools } = summary;
  const names = db.prepare<[string], string>(NAMES).pluck().all(tools);
  const calls = db.prepare<[number, number]>(CALLS).pluck().all(first, last);
  const marks = [
    ...names.map((name) => markOf('tool', name)),
    ...numbers(kinds).map((kind) => markOf('kind', kind)),
    ...numbers(codes).map((code) => markOf('code', code)),
    ...calls.flatMap((call) => (typeof call === 'string' ? [markOf('call', call)] : [])),
  ];
  const leaf = db.prepare<[number], string>(LEAF).pluck().get(last) ?? '';
  return { first, last, leaf, minTs, maxTs, marks: new Set(marks) };
}

function numbers(text: string): number[] {
  return text.slice(1, -1).split(',').map(Number);
}
