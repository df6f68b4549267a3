import { TextProblem } from '../text-problem.js';
import { commentEnd } from './comment.js';
import type { JsonMember, JsonNode } from './tree.js';

/** Which JSON a client reads. A text that the client refuses is refused here too, and not touched. */
export interface Dialect {
  readonly comments: boolean;
  readonly trailingCommas: boolean;
}

/** RFC 8259: what Claude's files are. A comment makes that client drop the whole file. */
export const STRICT: Dialect = { comments: false, trailingCommas: false };

/** With comments, as Gemini CLI reads it. */
export const WITH_COMMENTS: Dialect = { comments: true, trailingCommas: false };

/** With comments and trailing commas, as VS Code reads it. */
export const JSONC: Dialect = { comments: true, trailingCommas: true };

/** How deep values may nest: the bound of the recursion. */
const MAX_DEPTH = 256;

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
/** Every UTF-16 unit that a string may hold as it is: not a quote, a backslash or a control character. */
const PLAIN_RUN = /[ !#-[\]-\uffff]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const WORDS = ['true', 'false', 'null'];

/**
 * The value of a text, with the place of everything in it; undefined where the text holds no value at all. A byte order
 * mark may begin it. Throws `TextProblem`: what is not of the dialect, a key that stands twice (what counts would depend
 * on the reader), or too deep nesting.
 */
export function readJson(text: string, dialect: Dialect): JsonNode | undefined {
  return new Reader(text, dialect).read();
}

class Reader {
  readonly #text: string;
  readonly #dialect: Dialect;
  #at: number;

  constructor(text: string, dialect: Dialect) {
    this.#text = text;
    this.#dialect = dialect;
    this.#at = text.startsWith('\ufeff') ? 1 : 0;
  }

  read(): JsonNode | undefined {
    this.#skip();
    if (this.#at === this.#text.length) return undefined;
    const root = this.#value(0);
    this.#skip();
    if (this.#at < this.#text.length) throw this.#problem('there is text after the value');
    return root;
  }

  #value(depth: number): JsonNode {
    const start = this.#at;
    const first = this.#text.charAt(start);
    if (first === '{' || first === '[') {
      if (depth === MAX_DEPTH) throw this.#problem(`values are nested deeper than ${MAX_DEPTH} levels`);
      return first === '{' ? this.#object(start, depth) : this.#array(start, depth);
    }
    if (first === '"') {
      const value = this.#string();
      return { kind: 'string', start, end: this.#at, value };
    }
    const word = WORDS.find((one) => this.#text.startsWith(one, start));
    this.#at += word?.length ?? this.#run(NUMBER).length;
    if (this.#at === start)
      throw this.#problem(this.#ends() ? 'the text ends too early' : 'this is no value');
    return { kind: 'plain', start, end: this.#at };
  }

  #object(start: number, depth: number): JsonNode {
    const members: JsonMember[] = [];
    const keys = new Set<string>();
    this.#items('}', () => {
      const keyStart = this.#at;
      if (this.#text.charAt(keyStart) !== '"') {
        throw this.#problem(this.#ends() ? '`}` is missing' : 'a key must be a text in double quotes');
      }
      const key = this.#string();
      const keyEnd = this.#at;
      if (keys.has(key)) throw this.#problem('this key stands twice in its object', keyStart);
      keys.add(key);
      this.#skip();
      if (this.#text.charAt(this.#at) !== ':') throw this.#problem('`:` is missing');
      this.#at += 1;
      this.#skip();
      members.push({ key, keyStart, keyEnd, value: this.#value(depth + 1) });
    });
    return { kind: 'object', start, end: this.#at, members };
  }

  #array(start: number, depth: number): JsonNode {
    const items: JsonNode[] = [];
    this.#items(']', () => {
      items.push(this.#value(depth + 1));
    });
    return { kind: 'array', start, end: this.#at, items };
  }

  /** What stands between the brackets, with commas between. */
  #items(closing: string, read: () => void): void {
    this.#at += 1;
    this.#skip();
    for (let isFirst = true; ; isFirst = false) {
      if (this.#text.charAt(this.#at) === closing && (isFirst || this.#dialect.trailingCommas)) break;
      read();
      this.#skip();
      if (this.#text.charAt(this.#at) !== ',') break;
      this.#at += 1;
      this.#skip();
    }
    if (this.#text.charAt(this.#at) !== closing) throw this.#problem(`\`,\` or \`${closing}\` is missing`);
    this.#at += 1;
  }

  #string(): string {
    const start = this.#at;
    this.#at += 1;
    this.#at += this.#run(PLAIN_RUN).length;
    while (this.#text.charAt(this.#at) === '\\') {
      const escape = this.#run(ESCAPE);
      if (escape === '') throw this.#problem('an unknown escape in a text');
      this.#at += escape.length;
      this.#at += this.#run(PLAIN_RUN).length;
    }
    if (this.#ends()) throw this.#problem('this text does not end', start);
    if (this.#text.charAt(this.#at) !== '"') throw this.#problem('a control character in a text');
    this.#at += 1;
    const value: unknown = JSON.parse(this.#text.slice(start, this.#at));
    return String(value);
  }

  /** Skips white space, and comments where the dialect has them. */
  #skip(): void {
    for (;;) {
      this.#at += this.#run(SPACE).length;
      if (this.#text.charAt(this.#at) !== '/') return;
      const end = commentEnd(this.#text, this.#at);
      if (end === undefined) return;
      if (!this.#dialect.comments) throw this.#problem('a comment, which this client does not read');
      if (end === -1) throw this.#problem('this comment does not end');
      this.#at = end;
    }
  }

  #ends(): boolean {
    return this.#at >= this.#text.length;
  }

  #run(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#text)?.[0] ?? '';
  }

  #problem(what: string, at = this.#at): TextProblem {
    return new TextProblem(what, this.#text, at);
  }
}
