import { SublError } from '../errors/subl-error.js';
import { tooDeep } from './depth.js';
import { canonicalNumber, MAX_NUMBER_LENGTH } from './number.js';
import { ExactNumber, type JsonValue } from './value.js';
import { excerpt, isWellFormed } from './well-formed.js';

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
/** Every UTF-16 unit that a string may hold as it is: not a quote, a backslash or a control character. */
const PLAIN_RUN = /[ !#-[\]-\uffff]*/y;
const SPACE = /[ \t\n\r]*/y;
const HEX4 = /^[0-9a-fA-F]{4}$/;

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

const LITERALS: readonly (readonly [string, JsonValue])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
];

/**
 * Recursive descent over one text. Its recursion is bounded by `maxDepth`, its regular expressions are
 * linear.
 */
export class StrictParser {
  readonly #text: string;
  readonly #maxDepth: number;
  #at = 0;

  constructor(text: string, maxDepth: number) {
    this.#text = text;
    this.#maxDepth = maxDepth;
  }

  /** The value of the whole text. `invalid_json` or `too_deep`. */
  parse(): JsonValue {
    const value = this.#value(0);
    this.#skipSpace();
    if (this.#at < this.#text.length) throw this.#fail('text after the value');
    return value;
  }

  #value(depth: number): JsonValue {
    this.#skipSpace();
    const first = this.#text.charAt(this.#at);
    if (first === '{') return this.#object(depth + 1);
    if (first === '[') return this.#array(depth + 1);
    if (first === '"') return this.#string();
    for (const [word, value] of LITERALS) {
      if (this.#text.startsWith(word, this.#at)) {
        this.#at += word.length;
        return value;
      }
    }
    return this.#number();
  }

  #object(depth: number): JsonValue {
    this.#enter(depth);
    // Without a prototype, assigning `__proto__` makes an own key instead of changing the object.
    const object: { [key: string]: JsonValue } = Object.create(null);
    if (this.#take('}')) return object;
    do {
      this.#skipSpace();
      if (this.#text.charAt(this.#at) !== '"') throw this.#fail('a key must be a string');
      const keyAt = this.#at;
      const key = this.#string();
      if (key in object) {
        this.#at = keyAt;
        throw this.#fail(`the key \`${excerpt(key)}\` stands twice`);
      }
      if (!this.#take(':')) throw this.#fail('`:` is missing');
      object[key] = this.#value(depth);
    } while (this.#take(','));
    if (!this.#take('}')) throw this.#fail('`,` or `}` is missing');
    return object;
  }

  #array(depth: number): JsonValue {
    this.#enter(depth);
    const array: JsonValue[] = [];
    if (this.#take(']')) return array;
    do {
      array.push(this.#value(depth));
    } while (this.#take(','));
    if (!this.#take(']')) throw this.#fail('`,` or `]` is missing');
    return array;
  }

  #string(): string {
    return this.#nativeString() ?? this.#slowString();
  }

  /**
   * JSON.parse reads one string as we do, but for lone surrogates. A string that it refuses is read again, to
   * say where.
   */
  #nativeString(): string | undefined {
    const end = endOfString(this.#text, this.#at);
    if (end === undefined) return undefined;
    const token = this.#text.slice(this.#at, end);
    let string: unknown;
    try {
      string = JSON.parse(token);
    } catch (error) {
      if (error instanceof SyntaxError) return undefined;
      throw error;
    }
    if (typeof string !== 'string' || !isWellFormed(string)) return undefined;
    this.#at = end;
    return string;
  }

  #slowString(): string {
    const start = this.#at;
    this.#at += 1;
    const parts: string[] = [];
    for (;;) {
      parts.push(this.#run(PLAIN_RUN));
      const stop = this.#text.charAt(this.#at);
      if (stop === '"') break;
      if (stop !== '\\')
        throw this.#fail(stop === '' ? 'a string does not end' : 'a control character in a string');
      parts.push(this.#escape());
    }
    this.#at += 1;
    const string = parts.length === 1 ? (parts[0] ?? '') : parts.join('');
    if (!isWellFormed(string)) {
      this.#at = start;
      throw this.#fail('a string holds half of a surrogate pair');
    }
    return string;
  }

  #escape(): string {
    const letter = this.#text.charAt(this.#at + 1);
    if (letter === 'u') {
      const hex = this.#text.slice(this.#at + 2, this.#at + 6);
      if (!HEX4.test(hex)) throw this.#fail('a `\\u` escape without four hex digits');
      this.#at += 6;
      return String.fromCharCode(Number.parseInt(hex, 16));
    }
    const character = ESCAPES.get(letter);
    if (character === undefined) throw this.#fail('an unknown escape in a string');
    this.#at += 2;
    return character;
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
    const canonical = canonicalNumber(literal);
    if (String(double) !== canonical) return new ExactNumber(literal);
    // `-0` and `0` share the canonical form, so they must be one value.
    return double === 0 ? 0 : double;
  }

  #enter(depth: number): void {
    if (depth > this.#maxDepth) throw tooDeep(this.#maxDepth);
    this.#at += 1;
  }

  #take(character: string): boolean {
    this.#skipSpace();
    if (this.#text.charAt(this.#at) !== character) return false;
    this.#at += 1;
    return true;
  }

  #skipSpace(): void {
    this.#run(SPACE);
  }

  #run(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text)?.[0] ?? '';
    this.#at += match.length;
    return match;
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
