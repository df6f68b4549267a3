import { ExactNumber, type JsonValue, own } from '@subluminal/core-types';
import { compareDecimals } from '../pattern/decimal.js';
import type { PlainArgs, PlainRange } from '../snapshot/plain.js';
import type { Condition, Match } from './condition.js';

type Scalar = string | number | boolean;

/**
 * The conditions on arguments. They look at own top-level keys only, compare by type and value (`"1"` is not
 * `1`), and compare numbers by their exact decimal value. A server may read a number as a double: where the
 * condition holds for only one of the two, it cannot be told, so that `1.0000000000000000001` passes no deny
 * of `1` and no allow.
 */
export function argConditions(args: PlainArgs): readonly Condition[] {
  return [
    ...(args.has_keys ?? []).map((key) => hasKey(key)),
    ...Object.entries(args.key_equals ?? {}).map(([key, expected]) =>
      onValue(`args.key_equals.${key}`, key, (value) => sameScalar(value, expected)),
    ),
    ...Object.entries(args.key_in ?? {}).map(([key, allowed]) =>
      onValue(`args.key_in.${key}`, key, (value) => allowed.some((expected) => sameScalar(value, expected))),
    ),
    ...Object.entries(args.numeric_range ?? {}).map(([key, range]) =>
      onValue(`args.numeric_range.${key}`, key, (value) => inRange(value, range)),
    ),
  ];
}

function hasKey(key: string): Condition {
  const test = ({ call }: Parameters<Condition['test']>[0]): Match => {
    if (call.args !== undefined) return Object.hasOwn(call.args, key) ? 'yes' : 'no';
    if (call.arg_keys === undefined) return 'unknown';
    return call.arg_keys.includes(key) ? 'yes' : 'no';
  };
  return { field: `args.has_keys.${key}`, test };
}

function onValue(field: string, key: string, fits: (value: JsonValue) => boolean): Condition {
  return {
    field,
    test: ({ call }) => {
      if (call.args === undefined) return 'unknown';
      const value = own(call.args, key);
      if (value === undefined) return 'no';
      const exact = fits(value);
      if (value instanceof ExactNumber && fits(Number(value.text)) !== exact) return 'unknown';
      return exact ? 'yes' : 'no';
    },
  };
}

function sameScalar(value: JsonValue, expected: Scalar): boolean {
  if (value instanceof ExactNumber)
    return typeof expected === 'number' && compareNumbers(value, expected) === 0;
  return value === expected;
}

function inRange(value: JsonValue, { min, max }: PlainRange): boolean {
  if (typeof value !== 'number' && !(value instanceof ExactNumber)) return false;
  if (min !== undefined && !(compareNumbers(value, min) >= 0)) return false;
  return max === undefined || compareNumbers(value, max) <= 0;
}

/**
 * Doubles that are the shortest form of themselves order as their decimals do; all others go by their digits.
 */
function compareNumbers(value: number | ExactNumber, bound: number): number {
  return value instanceof ExactNumber ? compareDecimals(value.text, String(bound + 0)) : value - bound;
}
