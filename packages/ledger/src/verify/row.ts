import { sha256Hex } from '@subluminal/core-types';
import { Bytes } from './bytes.js';
import { Cursor, NONE } from './cursor.js';

const COMMA = 0x2c;
const NUL = 0;
const LF = 0x0a;
const NULL = Bytes.of('null,');
/** Lengths of the names of members. */
const REF = '"ref":'.length;
const RI = '"ri":'.length;
/** Hex digits of a hash. */
export const LEAF = 64;
/** Where the hash of the entry before goes: between the lines of its preimage before it and behind it. */
export const GAP = `\n${'0'.repeat(LEAF)}\n`;

/** Those before the preimage. `ref` is the piece of a body between its data and the value of `ri`. */
export const COLUMNS = `kind,',',code,',',run,',',tool,',"ref":',ifnull(ref,'null'),',"ri":',ts,',',octet_length(body)`;

/**
 * The columns of an entry and behind them its preimage, whose gap is open still (`entry/format.ts`):
 *
 * ```
 * kind,code,run,tool,"ref":ref,"ri":ts,length of body NUL "subl/entry/v1" LF id LF seq LF gap LF body
 * ```
 *
 * Bound are everything in a preimage before its seq, and the gap. The length says where an entry ends,
 * whatever its body holds.
 */
export const ROW = `concat(${COLUMNS},?,seq,?,body)`;

/** An entry as its columns say, in the bytes of its page, which the next page is written over. */
export interface Row {
  readonly bytes: Bytes;
  readonly kind: number;
  readonly code: number;
  /** `NONE` for NULL, as the tool and `ref`. */
  readonly run: number;
  readonly tool: number;
  readonly ref: number;
  /** Where the piece of a body with its `ref` begins; it goes on to the value of `ri`. */
  readonly refAt: number;
  readonly refEnd: number;
  /** Where `ts` and the body begin and end. */
  readonly tsAt: number;
  readonly tsEnd: number;
  readonly bodyAt: number;
  readonly bodyEnd: number;
  /** Its leaf, recomputed. */
  readonly leaf: string;
  /** Its place in the page. */
  readonly index: number;
  readonly leaves: Leaves;
}

/** The hashes of a page, one after the other. */
export interface Leaves {
  readonly hashes: Bytes;
  /** In hex digits, behind that of the entry before the page. */
  readonly texts: Bytes;
}

/** Text of an entry. */
export function textOf({ bytes }: Row, from: number, to: number): string {
  return bytes.octets.toString('utf8', from, to);
}

/** The entries of a page, in the text that `ROW` gives of each. */
export interface RowsText {
  /** Of which `length` bytes are the text. */
  readonly bytes: Bytes;
  readonly length: number;
  /** Everything in a preimage before the seq. */
  readonly start: string;
  readonly first: number;
  readonly count: number;
  /** The leaf before the first. */
  readonly before: string;
  /** The column `hash` of all, one after the other. */
  readonly hashes: Buffer;
}

/**
 * Reads and hashes entries. Null: one has another hash than its column says, or the text is built otherwise.
 */
export function readRows({ bytes, length, start, first, count, before, hashes }: RowsText): Row[] | null {
  if (hashes.length * 2 !== count * LEAF || before.length !== LEAF) return null;
  const stored = hashes.toString('hex');
  const leaves = { hashes: new Bytes(hashes), texts: Bytes.of(before + stored) };
  const { octets } = bytes;
  const { buffer, byteOffset } = octets;
  const cursor = new Cursor(octets);
  const rows: Row[] = [];
  let computed = '';
  for (let index = 0; index < count; index += 1) {
    const kind = cursor.integer(COMMA);
    const code = cursor.integer(COMMA);
    const run = cursor.integer(COMMA);
    const tool = cursor.integer(COMMA);
    const refAt = cursor.at - 1;
    cursor.at += REF;
    const ref = bytes.holds(cursor.at, NULL) ? NONE : cursor.integer(COMMA);
    if (ref === NONE) cursor.at += NULL.length;
    const refEnd = cursor.at + RI;
    const tsAt = refEnd;
    cursor.at = tsAt;
    const tsEnd = cursor.skip(COMMA);
    const size = cursor.integer(NUL);
    const from = cursor.at - 1;
    cursor.at = from + start.length;
    if (cursor.integer(LF) !== first + index) return null;
    const bodyAt = cursor.at + LEAF + 1;
    const bodyEnd = bodyAt + size;
    if (!(size >= 0 && bodyEnd <= length)) return null;
    // The hash in its column goes into the next preimage. That each is the computed one is seen at the end.
    bytes.copy(cursor.at, leaves.texts, index * LEAF, LEAF / 4);
    const leaf = sha256Hex(new Uint8Array(buffer, byteOffset + from, bodyEnd - from));
    computed += leaf;
    rows.push({
      bytes,
      kind,
      code,
      run,
      tool,
      ref,
      refAt,
      refEnd,
      tsAt,
      tsEnd,
      bodyAt,
      bodyEnd,
      leaf,
      index,
      leaves,
    });
    cursor.at = bodyEnd;
  }
  return cursor.at === length && computed === stored ? rows : null;
}
