import type { Database, Statement } from 'better-sqlite3';
import { bodyPrefix } from '../entry/format.js';
import { closesEffect, nameOfCode, numberOfCode, opensEffect, typeOfKind } from '../entry/kinds.js';
import { pairingRule, type PairingRule } from '../entry/pairing.js';
import { DICT_KINDS } from '../store/dictionary.js';
import { Bytes } from './bytes.js';
import { NONE } from './cursor.js';
import type { Finding, FindingClass } from './report.js';
import type { Row } from './row.js';

/** The demands of the columns kind, code and tool on an entry's body, and the rights of its kind. */
export interface Frame {
  readonly kind: number;
  readonly code: number;
  /** What an entry of its kind may refer to. */
  readonly rule: PairingRule;
  /** After it an effect may run, whose outcome must follow. */
  readonly opens: boolean;
  /** It reports the outcome of another entry. */
  readonly closes: boolean;
  /** Before the data. */
  readonly prefix: Bytes;
  /** From the end of the run's name to the start of `ts`. */
  readonly tool: Bytes;
  /** After `ts`. */
  readonly end: Bytes;
}

/** The run of an entry, as its body names it. */
export interface RunFrame {
  /** 0 where it is of none. */
  readonly number: number;
  /** From the end of `rp` to the end of the name. */
  readonly name: Bytes;
}

/** A combination of columns that no body can match. */
export interface BadFrame {
  readonly class: FindingClass;
  readonly detail: string;
}

const CACHED_FRAMES = 65_536;
/** More than there are kinds, and codes: below it both are told apart by one number with the tool. */
const BYTE = 256;

interface DictRow {
  readonly kind: number;
  readonly name: string;
  readonly bytes: Buffer;
}

/** Dict numbers its names from 1 on without a gap; what verify keeps for each number is bounded by that. */
export function checkNumbering(db: Database): Finding | null {
  const { rows, first, last } = db
    .prepare<[], { rows: number; first: number | null; last: number | null }>(
      'SELECT count(*) AS rows, min(id) AS first, max(id) AS last FROM dict',
    )
    .get() ?? { rows: 0, first: null, last: null };
  if (rows === 0 || (first === 1 && last === rows)) return null;
  return { seq: 0, class: 'dict', detail: `its ${rows} names are not numbered from 1 to ${rows}` };
}

/**
 * Turns the small columns of a file into body text, by way of its dict, and notes which rows of that are
 * used.
 */
export class Frames {
  readonly #find: Statement<[number], DictRow>;
  readonly #frames = new Map<number, Frame>();
  readonly #runs = new Map<number, RunFrame>();
  readonly #used: Uint8Array;
  #usedCount = 0;

  constructor(db: Database) {
    const last = db.prepare<[], number | null>('SELECT max(id) FROM dict').pluck().get() ?? 0;
    this.#used = new Uint8Array(last + 1);
    this.#find = db.prepare('SELECT kind, name, CAST(name AS BLOB) AS bytes FROM dict WHERE id = ?');
  }

  /** Rows of dict that at least one entry, claim or carried row used. */
  get usedCount(): number {
    return this.#usedCount;
  }

  /** The frame of an entry with these columns. */
  frame({ kind, code, tool }: Pick<Row, 'kind' | 'code' | 'tool'>): Frame | BadFrame {
    const isSmall = kind >= 0 && kind < BYTE && code >= 0 && code < BYTE && (tool >= 0 || tool === NONE);
    if (!isSmall) return this.#build(kind, code, tool);
    const key = ((tool === NONE ? 0 : tool + 1) * BYTE + code) * BYTE + kind;
    const cached = this.#frames.get(key);
    if (cached !== undefined) return cached;
    const frame = this.#build(kind, code, tool);
    if (!('class' in frame)) keep(this.#frames, key, frame);
    return frame;
  }

  /** The run with a number, or `NONE`. */
  run(run: number): RunFrame | BadFrame {
    const cached = this.#runs.get(run);
    if (cached !== undefined) return cached;
    const name = run === NONE ? null : this.name(run, DICT_KINDS.run);
    if (name === undefined) return { class: 'dict', detail: `run number ${run} has no name` };
    const frame = { number: name === null ? 0 : run, name: Bytes.of(`","run_id":${name}`) };
    keep(this.#runs, run, frame);
    return frame;
  }

  /** The name behind a dict number, if it is of one of these kinds. */
  name(id: number, ...kinds: readonly number[]): string | undefined {
    const row = this.#find.get(id);
    if (row === undefined || !kinds.includes(row.kind) || !isText(row)) return undefined;
    // The name of a tool is a pair, that of a run or an action a text.
    if (row.name.startsWith('[') !== (row.kind === DICT_KINDS.tool)) return undefined;
    this.#use(id);
    return row.name;
  }

  #build(kind: number, code: number, tool: number): Frame | BadFrame {
    const type = typeOfKind(kind);
    const codeName = nameOfCode(code);
    if (type === undefined) return { class: 'column', detail: `kind ${kind} is not known` };
    if (codeName === undefined || numberOfCode(kind, codeName) !== code) {
      return { class: 'column', detail: `code ${code} is not one of a ${type}` };
    }
    const name = tool === NONE ? null : this.name(tool, DICT_KINDS.tool, DICT_KINDS.action);
    if (name === undefined) return { class: 'dict', detail: `tool number ${tool} has no name` };
    return {
      kind,
      code,
      rule: pairingRule(kind),
      opens: opensEffect(kind, code),
      closes: closesEffect(kind),
      prefix: Bytes.of(bodyPrefix(codeName)),
      tool: Bytes.of(`,"tool":${name},"ts":`),
      end: Bytes.of(`,"type":"${type}","v":1}`),
    };
  }

  #use(id: number): void {
    if (this.#used[id] === 1) return;
    this.#used[id] = 1;
    this.#usedCount += 1;
  }
}

function keep<T>(cache: Map<number, T>, key: number, value: T): void {
  if (cache.size >= CACHED_FRAMES) cache.clear();
  cache.set(key, value);
}

/**
 * Invalid bytes decode to U+FFFD as well: a name that was spoilt so would fit its bodies and be found by no
 * query.
 */
function isText({ name, bytes }: DictRow): boolean {
  return typeof name === 'string' && Buffer.from(name).equals(bytes);
}
