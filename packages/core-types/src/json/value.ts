import { canonicalNumber } from './number.js';
import { SublError } from '../errors/subl-error.js';

/** A value of strict JSON. Numbers that a double would round are `ExactNumber`s. */
export type JsonValue = null | boolean | number | string | ExactNumber | readonly JsonValue[] | JsonObject;

/**
 * A JSON object, with or without a prototype: look keys up with `Object.hasOwn`, never with `in` or a bare
 * `object[key]`, since `__proto__`, `constructor` and `toString` are keys like any other.
 */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/**
 * A number whose exact decimal value is not the shortest form of its double (9007199254740993,
 * 0.1000000000000000001, 1e400). `text` is its canonical form. It cannot take part in arithmetic, and
 * `JSON.stringify` of it throws `not_canonical`: write values that may hold one with `canonicalize`.
 */
export class ExactNumber {
  readonly text: string;

  /**
   * `literal` is any JSON number literal; `invalid_json` if it is not one or is longer than 1,024 characters.
   */
  constructor(literal: string) {
    this.text = canonicalNumber(literal);
  }

  toJSON(): never {
    throw new SublError('not_canonical', `the number \`${this.text}\` does not fit JSON.stringify`);
  }
}

/** Tells whether `value` is a JSON object: not null, not an array, not an `ExactNumber`. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
  );
}
