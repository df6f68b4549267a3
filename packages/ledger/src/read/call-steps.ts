import { isJsonObject, parseJson, SublError, type JsonObject, type JsonValue } from '@subluminal/core-types';
import type { Statement } from 'better-sqlite3';
import { KINDS, nameOfCode, typeOfKind, type CodeName, type EntryType } from '../entry/kinds.js';
import { blobIds } from '../schema/ddl.js';
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
  /** Read when it is asked for. Throws `ledger_corrupt` for what no version of the writer makes. */
  readonly data: JsonObject;
  /**
   * Of a decision: the start of its call, looked up when it is asked for; undefined where it is not there.
   */
  readonly start: CallStart | undefined;
}

/** How a call began, and what is kept of its arguments; null where nothing is. */
export interface CallStart {
  readonly data: JsonObject;
  readonly preview: string | null;
}

/** Which entries: of one run where it is given, behind an entry where it is given. */
export interface CallStepsOptions {
  readonly runId?: string | undefined;
  readonly after?: number | undefined;
}

/**
 * seq, ts, kind, code, and the numbers of run and tool; then ref and body, which of an end is read when it is
 * asked for.
 */
type Stored = [number, number, number, number, number | null, number | null, number | null, string | null];

const STEPS: readonly EntryType[] = [
  'run_start',
  'tool_call_decision',
  'tool_call_end',
  'run_end',
  'hint_promoted',
];
const KINDS_OF_STEPS = STEPS.map((type) => KINDS[type]).join(',');
const BODY = 'SELECT body FROM entry WHERE seq = ?';
const PREVIEW = "SELECT data FROM blob WHERE id BETWEEN ? AND ? AND slot = 'call.preview.args_preview'";
const PAGE = 1000;
/** So many pages are read before the files are let go of, so that the ledger can go on in another. */
const PAGES_HELD = 64;
/**
 * A number that a double may not hold, as canonical JSON writes it: 16 digits, or an exponent of three.
 * Inside a text it only costs the exact reading.
 */
const LONG_NUMBER = /[:,[]-?(?:[0-9.]{16}|[0-9.]+e[+-]?[0-9]{3})/;

/**
 * Every run start and end, decision and end of a call, and promoted hint, oldest first, over all files of a
 * ledger that follow one another up to the newest. Reads page by page: as much as a ledger holds, in a
 * bounded memory.
 *
 * @throws SublError `ledger_corrupt` for an entry that no version of the writer makes.
 */
export function* callSteps(files: LedgerFiles<OneFile>, options: CallStepsOptions): Generator<CallStep> {
  const lookup = new Lookup(files);
  let cursor = options.after ?? 0;
  for (let pages = 1; ; pages += 1) {
    const page = nextPage(files, options.runId, cursor);
    if (page === undefined) return;
    const names = new Names(page.file);
    for (const row of page.rows) {
      cursor = row[0];
      yield new Step(row, names, lookup);
    }
    if (pages % PAGES_HELD === 0) files.release();
  }
}

/**
 * The runs with a decided call of that time or later, each with the entry that began it; 0 where that is not
 * there.
 */
export function runsWithCallsSince(
  files: LedgerFiles<OneFile>,
  sinceMs: number,
): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const file of files.newestFirst()) {
    for (const name of file.runsDeciding(sinceMs)) found.set(name, 0);
  }
  for (const file of files.newestFirst()) {
    for (const name of found.keys()) {
      const start = file.rareOfRun(KINDS.run_start, name);
      if (start !== undefined) found.set(name, start.seq);
    }
  }
  return new Map([...found].map(([name, seq]) => [runOf(JSON.parse(name)), seq]));
}

interface PageOfFile {
  readonly file: OneFile;
  readonly rows: readonly Stored[];
}

function nextPage(
  files: LedgerFiles<OneFile>,
  runId: string | undefined,
  cursor: number,
): PageOfFile | undefined {
  for (const file of files.oldestFirst(cursor)) {
    const rows = pageOf(file, runId, cursor);
    if (rows.length > 0) return { file, rows };
  }
  return undefined;
}

function pageOf(file: OneFile, runId: string | undefined, cursor: number): Stored[] {
  const body = `CASE kind WHEN ${KINDS.tool_call_end} THEN NULL ELSE body END`;
  const found = `SELECT seq, ts, kind, code, run, tool, ref, ${body} FROM entry WHERE +kind IN (${KINDS_OF_STEPS})`;
  if (runId === undefined) {
    const page = `${found} AND seq > ? ORDER BY seq LIMIT ?`;
    return file.db.prepare<[number, number], Stored>(page).raw().all(cursor, PAGE);
  }
  const run = file.numberOf(DICT_KINDS.run, JSON.stringify(runId));
  if (run === undefined) return [];
  const page = `${found} AND run = ? AND seq > ? ORDER BY seq LIMIT ?`;
  return file.db.prepare<[number, number, number], Stored>(page).raw().all(run, cursor, PAGE);
}

/** The names behind the numbers of one page. */
class Names {
  readonly #find: Statement<[number], string>;
  readonly #names = new Map<number, JsonValue>();

  constructor({ db }: OneFile) {
    this.#find = db.prepare<[number], string>('SELECT name FROM dict WHERE id = ?').pluck();
  }

  /** Undefined where there is none. */
  of(number: number | null): JsonValue | undefined {
    if (number === null) return undefined;
    const known = this.#names.get(number);
    if (known !== undefined) return known;
    const text = this.#find.get(number);
    const name: JsonValue | undefined = text === undefined ? undefined : parseJson(text);
    if (name !== undefined) this.#names.set(number, name);
    return name;
  }
}

/** Looks entries and previews up in whichever file holds them; most are never asked for. */
class Lookup {
  readonly #files: LedgerFiles<OneFile>;
  #file: OneFile | undefined;
  #body: Statement<[number], string> | undefined;
  #preview: Statement<[number, number], Buffer> | undefined;

  constructor(files: LedgerFiles<OneFile>) {
    this.#files = files;
  }

  /** Undefined where the entry, or the file that would hold it, is not there. */
  body(seq: number): string | undefined {
    this.#go(seq);
    return this.#body?.get(seq);
  }

  preview(seq: number): string | null {
    this.#go(seq);
    return this.#preview?.get(...blobIds(seq))?.toString('utf8') ?? null;
  }

  #go(seq: number): void {
    if (isOpenWith(this.#file, seq)) return;
    this.#file = this.#files.holds(seq) ? this.#files.holding(seq) : undefined;
    this.#body = this.#file?.db.prepare<[number], string>(BODY).pluck();
    this.#preview = this.#file?.db.prepare<[number, number], Buffer>(PREVIEW).pluck();
  }
}

/** Whether a file is still open and holds an entry: asking which one does looks at the disk. */
function isOpenWith(file: OneFile | undefined, seq: number): boolean {
  return file?.db.open === true && seq > file.base.seq && seq <= (file.end ?? seq);
}

class Step implements CallStep {
  readonly seq: number;
  readonly ts: number;
  readonly type: EntryType;
  readonly code: CodeName | null;
  readonly runId: string | null;
  readonly tool: readonly [string, string] | null;
  readonly ref: number | null;
  readonly #body: string | null;
  readonly #lookup: Lookup;
  #data: JsonObject | undefined;

  constructor([seq, ts, kind, number, run, tool, ref, body]: Stored, names: Names, lookup: Lookup) {
    const type = typeOfKind(kind);
    const code = nameOfCode(number);
    if (type === undefined || code === undefined) throw unreadable(seq);
    this.seq = seq;
    this.ts = ts;
    this.type = type;
    this.code = code;
    const runId = names.of(run);
    this.runId = typeof runId === 'string' ? runId : null;
    this.tool = toolOf(names.of(tool));
    this.ref = ref;
    this.#body = body;
    this.#lookup = lookup;
  }

  get data(): JsonObject {
    this.#data ??= dataOf(this.seq, this.#body ?? this.#lookup.body(this.seq) ?? '');
    return this.#data;
  }

  get start(): CallStart | undefined {
    const { ref, type } = this;
    const body = ref === null || type !== 'tool_call_decision' ? undefined : this.#lookup.body(ref);
    if (ref === null || body === undefined) return undefined;
    return { data: dataOf(ref, body), preview: this.#lookup.preview(ref) };
  }
}

function dataOf(seq: number, text: string): JsonObject {
  const body = text === '' ? null : read(text);
  const data = body !== null && isJsonObject(body) ? body['data'] : undefined;
  if (data === undefined || !isJsonObject(data)) throw unreadable(seq);
  return data;
}

/**
 * Bodies are canonical JSON; the strict reader takes ten times as long and is needed for long numbers alone.
 */
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
