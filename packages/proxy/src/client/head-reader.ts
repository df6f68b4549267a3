import { Gathered } from './gathered.js';

/** What is no head of HTTP, with what it is answered with. */
export class MalformedHead extends Error {
  override readonly name = 'MalformedHead';
  readonly status: 400 | 431;

  constructor(message: string, status: 400 | 431 = 400) {
    super(message);
    this.status = status;
  }
}

/** One field of a head, as it was written. */
export type Field = readonly [name: string, value: string];

const CR = 13;
const LF = 10;
const MAX_FIELDS = 256;

/**
 * Finds the end of a head of HTTP/1 (RFC 9112 §2): lines that end with CR LF and an empty one. A CR or LF
 * alone, which some parsers take for an end and others do not, is refused as soon as it comes.
 */
export class HeadReader {
  readonly #maxBytes: number;
  readonly #held = new Gathered();
  #afterCr = false;
  #lineLength = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get isEmpty(): boolean {
    return this.#held.length === 0;
  }

  /**
   * Takes bytes; gives the lines of the head and what came behind it, once it is whole. Throws
   * `MalformedHead`.
   */
  push(chunk: Buffer): { readonly lines: string[]; readonly rest: Buffer } | undefined {
    const room = this.#maxBytes - this.#held.length;
    const end = this.#endIn(chunk.subarray(0, room));
    if (end === undefined) {
      if (chunk.length > room)
        throw new MalformedHead(`the head is longer than ${this.#maxBytes} bytes`, 431);
      this.#held.add(chunk);
      return undefined;
    }
    this.#held.add(chunk.subarray(0, end));
    const text = this.#held.take().toString('latin1');
    return { lines: text.slice(0, -4).split('\r\n'), rest: chunk.subarray(end) };
  }

  /** Where the head ends in these bytes. */
  #endIn(bytes: Buffer): number | undefined {
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (this.#afterCr !== (byte === LF)) throw new MalformedHead('a line ends with a CR or LF alone');
      this.#afterCr = byte === CR;
      if (byte === LF) {
        if (this.#lineLength === 0) {
          if (this.#held.length + at < 2) throw new MalformedHead('it begins with an empty line');
          return at + 1;
        }
        this.#lineLength = 0;
      } else if (byte !== CR) this.#lineLength += 1;
    }
    return undefined;
  }
}

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/;
/** Visible characters, spaces and tabs, and bytes above ASCII, which are passed on as they are. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Reads the lines behind the first: a name, a colon right behind it, a value. A line that goes on with the
 * one before (obs-fold) begins with a space, which no name has. Throws `MalformedHead`.
 */
export function parseFields(lines: readonly string[]): Field[] {
  if (lines.length > MAX_FIELDS) throw new MalformedHead(`the head has more than ${MAX_FIELDS} fields`, 431);
  return lines.map((line) => {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0));
    const value = trimmed(line.slice(colon + 1));
    if (!NAME.test(name)) throw new MalformedHead('a line of the head has no name of a field');
    if (!VALUE.test(value))
      throw new MalformedHead(`the field \`${name}\` has a character that no field has`);
    return [name, value];
  });
}

/** The values of a field, in their order. */
export function valuesOf(fields: readonly Field[], name: string): string[] {
  return fields.filter(([own]) => own.toLowerCase() === name).map(([, value]) => value);
}

/** The members of a list that may stand in several fields, in lower case. */
export function membersOf(fields: readonly Field[], name: string): string[] {
  return valuesOf(fields, name)
    .flatMap((value) => value.split(','))
    .map((member) => trimmed(member).toLowerCase())
    .filter((member) => member !== '');
}

/** Without the spaces and tabs around it; no expression that could take long for many of them. */
function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start += 1;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/** How many bytes of a body follow. */
export type BodyLength = number | 'chunked' | 'none';

/**
 * How long a body is that comes with these fields (RFC 9112 §6): where two readings were possible, there is
 * none. Throws `MalformedHead`.
 */
export function bodyLengthOf(fields: readonly Field[]): BodyLength {
  const lengths = valuesOf(fields, 'content-length');
  const codings = valuesOf(fields, 'transfer-encoding');
  if (lengths.length > 1) throw new MalformedHead('`Content-Length` stands twice');
  if (codings.length > 1) throw new MalformedHead('`Transfer-Encoding` stands twice');
  const [length] = lengths;
  const [coding] = codings;
  if (length !== undefined && coding !== undefined)
    throw new MalformedHead('`Content-Length` and `Transfer-Encoding` contradict each other');
  if (coding !== undefined) {
    if (coding.toLowerCase() !== 'chunked')
      throw new MalformedHead('`Transfer-Encoding` is something else than `chunked`');
    return 'chunked';
  }
  if (length === undefined) return 'none';
  if (!/^[0-9]{1,15}$/.test(length)) throw new MalformedHead('`Content-Length` is no number');
  return Number(length);
}
