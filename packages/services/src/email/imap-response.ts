import type { Wire } from './wire.js';

/** A part of an answer of IMAP: an atom or a quoted text, a literal, a list; null for `NIL`. */
export type ImapValue = string | Buffer | null | readonly ImapValue[];

/** One answer: its tag (`*`, `+` or ours), its words, and the line as text without literals. */
export interface ImapResponse {
  readonly tag: string;
  readonly text: string;
  readonly values: readonly ImapValue[];
}

/** Values of one answer, literals of one answer, and how deep its lists go. */
const MAX_VALUES = 20_000;
const MAX_LITERALS = 64;
const MAX_DEPTH = 16;

/** Reads one answer with its literals. Throws `adapter_failed` and `response_too_large`. */
export async function readResponse(wire: Wire): Promise<ImapResponse> {
  const lines: string[] = [];
  const literals: Buffer[] = [];
  for (;;) {
    const line = (await wire.line()).toString('latin1');
    lines.push(line);
    const length = /\{([0-9]{1,10})\+?\}$/.exec(line)?.[1];
    if (length === undefined) break;
    if (literals.length >= MAX_LITERALS) throw wire.strange('sent an answer of too many parts');
    literals.push(await wire.bytes(Number(length)));
  }
  const [first = ''] = lines;
  const space = first.indexOf(' ');
  const tag = space < 0 ? first : first.slice(0, space);
  const text = space < 0 ? '' : first.slice(space + 1);
  // The text of a status is free, and may hold an unbalanced bracket: only the words in front matter.
  const isFree = tag === '+' || /^(?:OK|NO|BAD|BYE|PREAUTH)\b/i.test(text);
  const values = isFree ? [] : new Parser(wire, [text, ...lines.slice(1)], literals).all();
  return { tag, text, values };
}

class Parser {
  readonly #wire: Wire;
  readonly #lines: readonly string[];
  readonly #literals: readonly Buffer[];
  #line = 0;
  #at = 0;
  #count = 0;

  constructor(wire: Wire, lines: readonly string[], literals: readonly Buffer[]) {
    this.#wire = wire;
    this.#lines = lines;
    this.#literals = literals;
  }

  all(): readonly ImapValue[] {
    return this.#list(0, undefined);
  }

  #list(depth: number, end: ')' | undefined): readonly ImapValue[] {
    if (depth > MAX_DEPTH) throw this.#strange();
    const values: ImapValue[] = [];
    for (;;) {
      const character = this.#current[this.#at];
      if (character === undefined) {
        if (end === undefined) return values;
        throw this.#strange();
      }
      if (character === ' ') this.#at += 1;
      else if (character === ')') {
        if (end === undefined) throw this.#strange();
        this.#at += 1;
        return values;
      } else {
        this.#count += 1;
        if (this.#count > MAX_VALUES) throw this.#strange();
        values.push(this.#value(depth, character));
      }
    }
  }

  #value(depth: number, character: string): ImapValue {
    if (character === '(') {
      this.#at += 1;
      return this.#list(depth + 1, ')');
    }
    if (character === '"') return this.#quoted();
    const rest = this.#current;
    if (character === '{' && rest.endsWith('}') && this.#line + 1 < this.#lines.length) {
      const literal = this.#literals[this.#line];
      if (literal === undefined) throw this.#strange();
      this.#line += 1;
      this.#at = 0;
      return literal;
    }
    return this.#atom();
  }

  #quoted(): string {
    const line = this.#current;
    let text = '';
    for (let at = this.#at + 1; at < line.length; at += 1) {
      const character = line[at];
      if (character === '"') {
        this.#at = at + 1;
        return text;
      }
      if (character === '\\') at += 1;
      text += line[at] ?? '';
    }
    throw this.#strange();
  }

  /** `BODY[HEADER.FIELDS (A B)]<0>` is one atom: the text between the brackets belongs to it. */
  #atom(): string | null {
    const line = this.#current;
    let end = this.#at;
    let inside = false;
    for (; end < line.length; end += 1) {
      const character = line[end];
      if (character === '[') inside = true;
      else if (character === ']') inside = false;
      else if (!inside && (character === ' ' || character === '(' || character === ')')) break;
    }
    if (end === this.#at) throw this.#strange();
    const atom = line.slice(this.#at, end);
    this.#at = end;
    return atom.toUpperCase() === 'NIL' ? null : atom;
  }

  get #current(): string {
    return this.#lines[this.#line] ?? '';
  }

  #strange() {
    return this.#wire.strange('does not speak IMAP');
  }
}
