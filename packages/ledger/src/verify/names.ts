import type { Database, Statement } from 'better-sqlite3';
import { bodyPrefix } from '../entry/format.js';
import { closesEffect, nameOfCode, numberOfCode, opensEffect, typeOfKind } from '../entry/kinds.js';
import { pairingRule, type PairingRule } from '../entry/pairing.js';
import { DICT_KINDS } from '../store/dictionary.js';
import type { Finding, FindingClass } from './report.js';

/** The fixed text that the columns kind, code, run and tool of an entry demand of its body. */
export interface Frame {
  readonly kind: number;
  readonly code: number;
  /** 0 for system entries. */
  readonly run: number;
  readonly runName: string | null;
  /** What an entry of its kind may refer to. */
  readonly rule: PairingRule;
  /** After it an effect may run, whose outcome must follow. */
  readonly opens: boolean;
  /** It reports the outcome of another entry. */
  readonly closes: boolean;
  /** Before the data. */
  readonly prefix: string;
  /** From the end of `rp` to the start of `ts`. */
  readonly middle: string;
  /** After `ts`. */
  readonly end: string;
}

/** A combination of columns that no body can match. */
export interface BadFrame {
  readonly class: FindingClass;
  readonly detail: string;
}

const CACHED_FRAMES = 65_536;

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
  readonly #cache = new Map<string, Frame | BadFrame>();
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

  /** `key` is `kind,code,run,tool` in decimal, empty for NULL. */
  frame(key: string): Frame | BadFrame {
    const cached = this.#cache.get(key);
    if (cached !== undefined) return cached;
    if (this.#cache.size >= CACHED_FRAMES) this.#cache.clear();
    const frame = this.#build(key);
    this.#cache.set(key, frame);
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

  #build(key: string): Frame | BadFrame {
    const [kindText = '', codeText = '', runText = '', toolText = ''] = key.split(',');
    const [kind, code] = [Number(kindText), Number(codeText)];
    const type = typeOfKind(kind);
    const codeName = nameOfCode(code);
    if (type === undefined) return { class: 'column', detail: `kind ${kindText} is not known` };
    if (codeName === undefined || numberOfCode(kind, codeName) !== code) {
      return { class: 'column', detail: `code ${codeText} is not one of a ${type}` };
    }
    const run = runText === '' ? null : this.name(Number(runText), DICT_KINDS.run);
    const tool = toolText === '' ? null : this.name(Number(toolText), DICT_KINDS.tool, DICT_KINDS.action);
    if (run === undefined) return { class: 'dict', detail: `run number ${runText} has no name` };
    if (tool === undefined) return { class: 'dict', detail: `tool number ${toolText} has no name` };
    return {
      kind,
      code,
      run: Number(runText),
      runName: run,
      rule: pairingRule(kind),
      opens: opensEffect(kind, code),
      closes: closesEffect(kind),
      prefix: bodyPrefix(codeName),
      middle: `","run_id":${run},"tool":${tool},"ts":`,
      end: `,"type":"${type}","v":1}`,
    };
  }

  #use(id: number): void {
    if (this.#used[id] === 1) return;
    this.#used[id] = 1;
    this.#usedCount += 1;
  }
}

/**
 * Invalid bytes decode to U+FFFD as well: a name that was spoilt so would fit its bodies and be found by no
 * query.
 */
function isText({ name, bytes }: DictRow): boolean {
  return typeof name === 'string' && Buffer.from(name).equals(bytes);
}
