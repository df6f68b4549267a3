import { isJsonObject, parseJson, SublError, type JsonObject, type JsonValue } from '@subluminal/core-types';
import { KINDS, nameOfCode, typeOfKind, type CodeName, type EntryType } from '../entry/kinds.js';
import { DICT_KINDS } from '../store/dictionary.js';
import type { LedgerFiles } from './files.js';
import type { OneFile } from './one-file.js';

/** One entry of the life of runs and their calls, in the order of the ledger. */
export interface CallStep {
  readonly seq: number;
  readonly ts: number;
  readonly type: EntryType;
  readonly code: CodeName | null;
  readonly runId: string | null;
  readonly tool: readonly [string, string] | null;
  readonly ref: number | null;
  readonly data: JsonObject;
  /** What is kept of a call's arguments, of a `tool_call_start` alone; null where nothing is. */
  readonly preview: string | null;
}

/** Which entries: of one run where it is given, behind an entry where it is given. */
export interface CallStepsOptions {
  readonly runId?: string | undefined;
  readonly after?: number | undefined;
}

interface Stored {
  readonly seq: number;
  readonly kind: number;
  readonly code: number;
  readonly body: string;
  readonly preview: Buffer | null;
}

const STEPS: readonly EntryType[] = [
  'run_start',
  'tool_call_start',
  'tool_call_decision',
  'tool_call_end',
  'run_end',
  'hint_promoted',
];
const KINDS_OF_STEPS = STEPS.map((type) => KINDS[type]).join(',');
const PAGE = 1000;
/** So many pages are read before the files are let go of, so that the ledger can go on in another. */
const PAGES_HELD = 64;
/**
 * A number that a double may not hold, as canonical JSON writes it: 16 digits, or an exponent of three. Inside a text it
 * only costs the exact reading.
 */
const LONG_NUMBER = /[:,[]-?(?:[0-9.]{16}|[0-9.]+e[+-]?[0-9]{3})/;

/**
 * Every run start and end, call start, decision and end, and promoted hint, oldest first, over all files of a ledger that
 * follow one another up to the newest. Reads page by page: as much as a ledger holds, in a bounded memory.
 *
 * @throws SublError `ledger_corrupt` for a body that no version of the writer makes.
 */
export function* callSteps(files: LedgerFiles<OneFile>, options: CallStepsOptions): Generator<CallStep> {
  let cursor = options.after ?? 0;
  for (let pages = 1; ; pages += 1) {
    const stored = nextPage(files, options.runId, cursor);
    for (const row of stored) yield stepOf(row);
    const last = stored.at(-1);
    if (last === undefined) return;
    cursor = last.seq;
    if (pages % PAGES_HELD === 0) files.release();
  }
}

/** The runs with a decided call of that time or later, each with the entry that began it; 0 where that is not there. */
export function runsWithCallsSince(
  files: LedgerFiles<OneFile>,
  sinceMs: number,
): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const { db } of files.newestFirst()) {
    const names = db
      .prepare<[number], string>(
        `SELECT DISTINCT d.name FROM entry e INDEXED BY e_ts JOIN dict d ON d.id = e.run AND d.kind = ${DICT_KINDS.run}
         WHERE e.ts >= ? AND e.kind = ${KINDS.tool_call_decision}`,
      )
      .pluck()
      .all(sinceMs);
    for (const name of names) found.set(name, 0);
  }
  for (const file of files.newestFirst()) {
    for (const name of found.keys()) {
      const start = file.ofRun(KINDS.run_start, name);
      if (start !== undefined) found.set(name, start.seq);
    }
  }
  return new Map([...found].map(([name, seq]) => [runOf(JSON.parse(name)), seq]));
}

function nextPage(files: LedgerFiles<OneFile>, runId: string | undefined, cursor: number): readonly Stored[] {
  for (const file of files.oldestFirst(cursor)) {
    const stored = pageOf(file, runId, cursor);
    if (stored.length > 0) return stored;
  }
  return [];
}

function pageOf(file: OneFile, runId: string | undefined, cursor: number): Stored[] {
  const columns = `SELECT e.seq, e.kind, e.code, e.body, b.data AS preview FROM entry e LEFT JOIN blob b
    ON b.seq = e.seq AND b.slot = 'call.preview.args_preview' WHERE +e.kind IN (${KINDS_OF_STEPS})`;
  if (runId === undefined) {
    return file.db
      .prepare<[number, number], Stored>(`${columns} AND e.seq > ? ORDER BY e.seq LIMIT ?`)
      .all(cursor, PAGE);
  }
  const run = file.numberOf(DICT_KINDS.run, JSON.stringify(runId));
  if (run === undefined) return [];
  return file.db
    .prepare<[number, number, number], Stored>(
      `${columns} AND e.run = ? AND e.seq > ? ORDER BY e.seq LIMIT ?`,
    )
    .all(run, cursor, PAGE);
}

function stepOf({ seq, kind, code: number, body: text, preview }: Stored): CallStep {
  const type = typeOfKind(kind);
  const code = nameOfCode(number);
  const body = read(text);
  if (type === undefined || code === undefined || !isJsonObject(body)) throw unreadable(seq);
  const { data, ref, run_id: runId, tool, ts } = body;
  if (data === undefined || !isJsonObject(data) || typeof ts !== 'number') throw unreadable(seq);
  return {
    seq,
    ts,
    type,
    code,
    runId: typeof runId === 'string' ? runId : null,
    tool: toolOf(tool),
    ref: typeof ref === 'number' ? ref : null,
    data,
    preview: preview === null ? null : preview.toString('utf8'),
  };
}

/** Bodies are canonical JSON; the strict reader takes ten times as long and is needed for long numbers alone. */
function read(text: string): JsonValue {
  if (LONG_NUMBER.test(text)) return parseJson(text);
  const value: JsonValue = JSON.parse(text);
  return value;
}

function toolOf(tool: JsonValue | undefined): readonly [string, string] | null {
  if (!Array.isArray(tool)) return null;
  const [server, name]: readonly JsonValue[] = tool;
  return typeof server === 'string' && typeof name === 'string' ? [server, name] : null;
}

function runOf(name: unknown): string {
  return typeof name === 'string' ? name : '';
}

function unreadable(seq: number): SublError {
  return new SublError('ledger_corrupt', `entry ${seq} cannot be read`, { details: { seq } });
}
