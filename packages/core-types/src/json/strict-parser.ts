import { SublError } from '../errors/subl-error.js';
import { tooDeep } from './depth.js';
import { MAX_NUMBER_LENGTH } from './number.js';
import { ExactNumber, type JsonObject, type JsonValue } from './value.js';
import { excerpt, isWellFormed } from './well-formed.js';

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
/** Units that a string may hold as they are, and escapes. No two of its branches begin alike. */
const GOOD_PIECES = /(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})){1,4096}/y;
const SPACE = /[ \t\n\r]*/y;
/** No character of `SPACE` has a greater code. */
const LAST_SPACE = 0x20;

/** By their first letters. */
const LITERALS: ReadonlyMap<string, { readonly text: string; readonly value: JsonValue }> = new Map([
  ['t', { text: 'true', value: true }],
  ['f', { text: 'false', value: false }],
  ['n', { text: 'null', value: null }],
]);

/** An array or an object whose end was not read yet. */
type Open =
  | { readonly array: JsonValue[] }
  | { readonly object: { [key: string]: JsonValue }; /** Of the value that is read next. */ key: string };

/**
 * Reads one text, at once or a part at a time. Those containers that are open stand in a list, bounded by
 * `maxDepth`; its regular expressions are linear.
 */
export class StrictParser {
  readonly #text: string;
  readonly #maxDepth: number;
  readonly #open: Open[] = [];
  #at = 0;
  #whole: JsonValue | undefined;

  constructor(text: string, maxDepth: number) {
    this.#text = text;
    this.#maxDepth = maxDepth;
  }

  /** The value of the whole text. `invalid_json` or `too_deep`. */
  parse(): JsonValue {
    for (;;) {
      const value = this.read(Number.POSITIVE_INFINITY);
      if (value !== undefined) return value;
    }
  }

  /**
   * Reads `most` values more, or what begins in so many characters. The value of the whole text; undefined
   * while it is not read to its end.
   */
  read(most: number, characters = Number.POSITIVE_INFINITY): JsonValue | undefined {
    const until = this.#at + characters;
    for (let left = most; this.#whole === undefined && left > 0 && this.#at < until; left -= 1) {
      const value = this.#value();
      if (value !== undefined) this.#take(value);
    }
    return this.#whole;
  }

  /** A value without members, read to its end; undefined for a container that has some, which is open now. */
  #value(): JsonValue | undefined {
    this.#skipSpace();
    const first = this.#text.charAt(this.#at);
    if (first === '{') return this.#object();
    if (first === '[') return this.#array();
    if (first === '"') return this.#string();
    const word = LITERALS.get(first);
    if (word === undefined || !this.#text.startsWith(word.text, this.#at)) return this.#number();
    this.#at += word.text.length;
    return word.value;
  }

  /** Puts a value that was read where it belongs, and closes each container that ends with it. */
  #take(value: JsonValue): void {
    for (let read = value; ; this.#open.pop()) {
      const into = this.#open.at(-1);
      if (into === undefined) return this.#end(read);
      if ('array' in into) {
        into.array.push(read);
        if (this.#skip(',')) return;
        if (!this.#skip(']')) throw this.#fail('`,` or `]` is missing');
        read = into.array;
      } else {
        into.object[into.key] = read;
        if (this.#skip(',')) {
          into.key = this.#key(into.object);
          return;
        }
        if (!this.#skip('}')) throw this.#fail('`,` or `}` is missing');
        read = into.object;
      }
    }
  }

  #end(value: JsonValue): void {
    this.#skipSpace();
    if (this.#at < this.#text.length) throw this.#fail('text after the value');
    this.#whole = value;
  }

  #object(): JsonValue | undefined {
    this.#enter();
    // Without a prototype, assigning `__proto__` makes an own key instead of changing the object.
    const object: { [key: string]: JsonValue } = Object.create(null);
    if (this.#skip('}')) return object;
    this.#open.push({ object, key: this.#key(object) });
    return undefined;
  }

  #array(): JsonValue | undefined {
    this.#enter();
    const array: JsonValue[] = [];
    if (this.#skip(']')) return array;
    this.#open.push({ array });
    return undefined;
  }

  /** The next key of the object, and the colon behind it. */
  #key(object: JsonObject): string {
    this.#skipSpace();
    if (this.#text.charAt(this.#at) !== '"') throw this.#fail('a key must be a string');
    const keyAt = this.#at;
    const key = this.#string();
    if (key in object) {
      this.#at = keyAt;
      throw this.#fail(`the key \`${excerpt(key)}\` stands twice`);
    }
    if (!this.#skip(':')) throw this.#fail('`:` is missing');
    return key;
  }

  /** JSON.parse reads one string as we do, but for lone surrogates. */
  #string(): string {
    const end = endOfString(this.#text, this.#at);
    let string: unknown;
    try {
      if (end !== undefined) string = JSON.parse(this.#text.slice(this.#at, end));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
    if (end === undefined || typeof string !== 'string') throw this.#brokenString();
    if (!isWellFormed(string)) throw this.#fail('a string holds half of a surrogate pair');
    this.#at = end;
    return string;
  }

  /** Looks for the place at which a string stops being one, and keeps nothing of it. */
  #brokenString(): SublError {
    this.#at += 1;
    for (let from = -1; from !== this.#at;) {
      from = this.#at;
      this.#run(GOOD_PIECES);
    }
    const [letter, next] = [this.#text.charAt(this.#at), this.#text.charAt(this.#at + 1)];
    if (letter === '' || letter === '"') return this.#fail('a string does not end');
    if (letter !== '\\') return this.#fail('a control character in a string');
    return this.#fail(
      next === 'u' ? 'a `\\u` escape without four hex digits' : 'an unknown escape in a string',
    );
  }

  #number(): JsonValue {
    const start = this.#at;
    const literal = this.#run(NUMBER);
    if (literal === '')
      throw this.#fail(start < this.#text.length ? 'not a value' : 'the text ends too early');
    if (literal.length > MAX_NUMBER_LENGTH) {
      this.#at = start;
      throw this.#fail(`a number has more than ${MAX_NUMBER_LENGTH} characters`);
    }
    const double = Number(literal);
    const shortest = String(double);
    // The shortest form of a double is canonical already.
    if (shortest !== literal) {
      const exact = new ExactNumber(literal);
      if (shortest !== exact.text) return exact;
    }
    // `-0` and `0` share the canonical form, so they must be one value.
    return double === 0 ? 0 : double;
  }

  #enter(): void {
    if (this.#open.length >= this.#maxDepth) throw tooDeep(this.#maxDepth);
    this.#at += 1;
  }

  /** Goes behind the character, if it is the next one behind space. */
  #skip(character: string): boolean {
    this.#skipSpace();
    if (this.#text.charAt(this.#at) !== character) return false;
    this.#at += 1;
    return true;
  }

  #skipSpace(): void {
    // Most values have none before or behind them. Behind the end there is none.
    if (this.#text.charCodeAt(this.#at) <= LAST_SPACE) this.#run(SPACE);
  }

  /** Goes behind what the pattern finds here, and gives it; empty where that is nothing. */
  #run(pattern: RegExp): string {
    const start = this.#at;
    pattern.lastIndex = start;
    if (pattern.test(this.#text)) this.#at = pattern.lastIndex;
    return this.#text.slice(start, this.#at);
  }

  #fail(what: string): SublError {
    return new SublError('invalid_json', `invalid json at character ${this.#at + 1}: ${what}`, {
      details: { at: this.#at },
    });
  }
}

/**
 * Behind the closing quote of the string that opens at `start`; undefined when it does not close. Linear in
 * its length.
 */
function endOfString(text: string, start: number): number | undefined {
  for (let quote = text.indexOf('"', start + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let before = quote;
    while (text.charAt(before - 1) === '\\') before -= 1;
    if ((quote - before) % 2 === 0) return quote + 1;
  }
  return undefined;
}
