import { SublError } from '../errors/subl-error.js';
import { MAX_DEPTH, tooDeep } from './depth.js';
import { isInPlainOrder } from './plain-order.js';
import { ExactNumber } from './value.js';
import { isWellFormed } from './well-formed.js';

const PAIR = /[\ud800-\udbff]/;
const PAIRS = /[\ud800-\udbff]/g;

/** Up to this length a loop over a string is faster than JSON.stringify. */
const SHORT = 40;

/**
 * The one canonical text of a JSON value: no spaces, keys sorted by Unicode code point, minimal escapes,
 * numbers in the notation of RFC 8785 over their exact decimal value (`-0` is `0`). Equal values give equal
 * texts whatever their key order. Only plain data is taken: `not_canonical` for undefined (also as a
 * property), functions, symbols, bigints, class instances, non-finite numbers and lone surrogates; `too_deep`
 * beyond 64 levels (which ends cycles as well), counted from `depth` for a value that will stand inside so
 * many others. RFC 8785 with two differences: code points and exact decimals.
 */
export function canonicalize(value: unknown, depth = 0): string {
  // One native pass over what is in order already, and one flat text instead of a tree of pieces.
  if (typeof value === 'object' && value !== null && isInPlainOrder(value, depth))
    return JSON.stringify(value);
  return write(value, depth);
}

function write(value: unknown, depth: number): string {
  if (typeof value === 'string') return writeString(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw refuse(`the number ${value}`);
    return `${value}`;
  }
  if (value === null) return 'null';
  if (value === true) return 'true';
  if (value === false) return 'false';
  if (typeof value !== 'object') throw refuse(typeof value);
  if (Array.isArray(value)) return writeArray(value, depth + 1);
  return value instanceof ExactNumber ? value.text : writeObject(value, depth + 1);
}

function writeArray(array: readonly unknown[], depth: number): string {
  if (depth > MAX_DEPTH) throw tooDeep(MAX_DEPTH);
  if (array.length === 0) return '[]';
  let text = '';
  // An index loop, so that holes are read as undefined and refused.
  for (let index = 0; index < array.length; index += 1) {
    text += `${index === 0 ? '[' : ','}${write(array[index], depth)}`;
  }
  return `${text}]`;
}

function writeObject(object: object, depth: number): string {
  if (depth > MAX_DEPTH) throw tooDeep(MAX_DEPTH);
  const prototype: unknown = Object.getPrototypeOf(object);
  if (prototype !== Object.prototype && prototype !== null) throw refuse('an object that is not plain data');
  const keys = sorted(Object.keys(object));
  if (keys.length === 0) return '{}';
  let text = '';
  const members = object as Readonly<Record<string, unknown>>;
  for (const key of keys) {
    text += `${text === '' ? '{' : ','}${writeString(key)}:${write(members[key], depth)}`;
  }
  return `${text}}`;
}

/**
 * Sorts by code point. The engine's own order is by UTF-16 unit. It is another one only where surrogates meet
 * units above them: then a unit above all goes before each pair, and stands for itself with a NUL behind it.
 */
function sorted(keys: readonly string[]): string[] {
  if (!keys.some((key) => PAIR.test(key))) return keys.toSorted();
  const rankOf = (key: string): string => key.replaceAll('\uffff', '\uffff\0').replaceAll(PAIRS, '\uffff$&');
  const ranked = keys.map((key) => ({ key, rank: rankOf(key) }));
  return ranked.toSorted((a, b) => (a.rank < b.rank ? -1 : 1)).map(({ key }) => key);
}

function writeString(string: string): string {
  if (string.length <= SHORT && isPlainAscii(string)) return `"${string}"`;
  if (!isWellFormed(string)) throw refuse('half of a surrogate pair');
  return JSON.stringify(string);
}

/** Tells whether nothing in the string needs an escape or a closer look. */
function isPlainAscii(string: string): boolean {
  for (let at = 0; at < string.length; at += 1) {
    const code = string.charCodeAt(at);
    if (code < 0x20 || code > 0x7e || code === 0x22 || code === 0x5c) return false;
  }
  return true;
}

function refuse(what: string): SublError {
  return new SublError('not_canonical', `${what} has no canonical json form`);
}
