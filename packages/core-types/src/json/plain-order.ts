import { MAX_DEPTH } from './depth.js';
import { isWellFormed } from './well-formed.js';

/** Below it no unit is half of a surrogate pair, so that UTF-16 orders as code points do. */
const FIRST_SURROGATE = 0xd800;

/**
 * Tells whether JSON.stringify writes the canonical text of a value inside `depth` containers: plain objects
 * and arrays within the depth, keys in their order, well-formed strings, finite numbers and nothing else.
 * False says only that it has to be looked at more closely.
 */
export function isInPlainOrder(value: unknown, depth: number): boolean {
  switch (typeof value) {
    case 'string':
      return isWellFormed(value);
    case 'number':
      return Number.isFinite(value);
    case 'boolean':
      return true;
    case 'object':
      if (value === null) return true;
      if (depth >= MAX_DEPTH || saysItself(value)) return false;
      return Array.isArray(value) ? isPlainArray(value, depth + 1) : isPlainObject(value, depth + 1);
    default:
      return false;
  }
}

function isPlainArray(array: readonly unknown[], depth: number): boolean {
  // An index loop, so that holes are read as undefined and refused.
  for (let index = 0; index < array.length; index += 1) {
    if (!isInPlainOrder(array[index], depth)) return false;
  }
  return true;
}

function isPlainObject(object: object, depth: number): boolean {
  const prototype: unknown = Object.getPrototypeOf(object);
  if (prototype !== Object.prototype && prototype !== null) return false;
  const members = object as Readonly<Record<string, unknown>>;
  let previous: string | undefined;
  for (const key of Object.keys(object)) {
    if (previous !== undefined && !precedes(previous, key)) return false;
    if (!isWellFormed(key) || !isInPlainOrder(members[key], depth)) return false;
    previous = key;
  }
  return true;
}

/** JSON.stringify would ask it what to write instead. */
function saysItself(value: object): boolean {
  return 'toJSON' in value && typeof value.toJSON === 'function';
}

/** Whether `a` stands before `b`; false as well where only code points tell. */
function precedes(a: string, b: string): boolean {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const unit = b.charCodeAt(at);
    if (a.charCodeAt(at) !== unit) return a.charCodeAt(at) < unit && unit < FIRST_SURROGATE;
  }
  return a.length < b.length;
}
