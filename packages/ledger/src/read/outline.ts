import {
  KINDS,
  nameOfCode,
  numbersOfCode,
  typeOfKind,
  type CodeName,
  type EntryType,
} from '../entry/kinds.js';
import type { LedgerFiles } from './files.js';
import type { OneFile } from './one-file.js';
import type { LedgerRow } from './row.js';

/** An entry by its columns alone. */
export type OutlineRow = Pick<LedgerRow, 'seq' | 'ts' | 'type' | 'code' | 'runId'>;

/** Entries of these types, and decisions with one of these codes. */
export interface OutlineQuestion {
  readonly after: number;
  /** Entries that are looked at. */
  readonly span: number;
  readonly types: readonly EntryType[];
  readonly decisions: readonly CodeName[];
}

/** Those among the entries up to `upto`, oldest first. */
export interface Outline {
  readonly upto: number;
  readonly rows: readonly OutlineRow[];
}

type Stored = readonly [seq: number, ts: number, kind: number, code: number, run: number | null];

/** Entries behind one, without their bodies; all of them are of one file. `upto` is `after` at the end. */
export function outline(files: LedgerFiles<OneFile>, question: OutlineQuestion): Outline {
  for (const file of files.oldestFirst(question.after)) {
    const found = outlineIn(file, question);
    if (found.upto > question.after) return found;
  }
  return { upto: question.after, rows: [] };
}

function outlineIn(file: OneFile, { after, decisions, span, types }: OutlineQuestion): Outline {
  const from = Math.max(after, file.base.seq);
  const upto = Math.max(from, Math.min(from + span, file.size));
  const kinds = types.map((type) => KINDS[type]);
  const codes = decisions.flatMap((code) => numbersOfCode(code));
  const found = file.db
    .prepare<[number, number], Stored>(
      `SELECT seq, ts, kind, code, run FROM entry WHERE seq > ? AND seq <= ? AND (kind IN (${kinds.join(',')})
        OR (kind = ${KINDS.tool_call_decision} AND code IN (${codes.join(',')}))) ORDER BY seq`,
    )
    .raw()
    .all(from, upto);
  const names = new Map<number, string>();
  const nameOf = (run: number): string | null => {
    const name = names.get(run) ?? runNamed(file, run);
    if (name !== null) names.set(run, name);
    return name;
  };
  const rows = found.flatMap(([seq, ts, kind, number, run]) => {
    const [type, code] = [typeOfKind(kind), nameOfCode(number) ?? null];
    return type === undefined ? [] : [{ seq, ts, type, code, runId: run === null ? null : nameOf(run) }];
  });
  return { upto, rows };
}

function runNamed({ db }: OneFile, number: number): string | null {
  const find = db.prepare<[number], string>('SELECT name FROM dict WHERE id=?').pluck();
  const name: unknown = JSON.parse(find.get(number) ?? 'null');
  return typeof name === 'string' ? name : null;
}
