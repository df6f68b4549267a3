import { SublError } from '../errors/subl-error.js';
import { MAX_DEPTH, tooDeep } from './depth.js';
import { compareCodePoints } from './code-points.js';
import { ExactNumber } from './value.js';
import { isWellFormed } from './well-formed.js';

/**
 * The one canonical text of a JSON value: no spaces, keys sorted by Unicode code point, minimal escapes, numbers in the
 * notation of RFC 8785 over their exact decimal value (`-0` is `0`). Equal values give equal texts whatever their key
 * order. Only plain data is taken: `not_canonical` for undefined (also as a property), functions, symbols, bigints,
 * class instances, non-finite numbers and lone surrogates; `too_deep` beyond 64 levels (which ends cycles as well).
 * Interface Pack §1.9; RFC 8785 with the two differences that the design names (code points, exact decimals).
 */
export function canonicalize(value: unknown): string {
  return write(value, 0);
}

function write(value: unknown, depth: number): string {
  switch (typeof value) {
    case 'string':
      return writeString(value);
    case 'number':
      if (!Number.isFinite(value)) throw refuse(`the number ${value}`);
      return value === 0 ? '0' : String(value);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      if (value === null) return 'null';
      if (Array.isArray(value)) return writeArray(value, depth + 1);
      return value instanceof ExactNumber ? value.text : writeObject(value, depth + 1);
    default:
      throw refuse(typeof value);
  }
}

function writeArray(array: readonly unknown[], depth: number): string {
  if (depth > MAX_DEPTH) throw tooDeep(MAX_DEPTH);
  let text = '[';
  // An index loop, so that holes are read as undefined and refused.
  for (let index = 0; index < array.length; index += 1) {
    text += index === 0 ? write(array[index], depth) : `,${write(array[index], depth)}`;
  }
  return `${text}]`;
}

function writeObject(object: object, depth: number): string {
  if (depth > MAX_DEPTH) throw tooDeep(MAX_DEPTH);
  const prototype: unknown = Object.getPrototypeOf(object);
  if (prototype !== Object.prototype && prototype !== null) throw refuse('an object that is not plain data');
  const entries = Object.entries(object);
  if (!isSorted(entries)) entries.sort(([a], [b]) => compareCodePoints(a, b));
  let text = '{';
  for (const [key, value] of entries) {
    text += `${text.length === 1 ? '' : ','}${writeString(key)}:${write(value, depth)}`;
  }
  return `${text}}`;
}

function isSorted(entries: readonly (readonly [string, unknown])[]): boolean {
  let previous: string | undefined;
  for (const [key] of entries) {
    if (previous !== undefined && compareCodePoints(previous, key) > 0) return false;
    previous = key;
  }
  return true;
}

function writeString(string: string): string {
  if (!isWellFormed(string)) throw refuse('half of a surrogate pair');
  return JSON.stringify(string);
}

function refuse(what: string): SublError {
  return new SublError('not_canonical', `${what} has no canonical json form`);
}
