import { canonicalize, isSublError, type JsonValue, parseJson } from '@subluminal/core-types';
import { promise, type Target } from '../engine/target.js';
import {
  depthOf,
  hasDuplicates,
  hasLoneSurrogates,
  longestNumber,
  readTree,
  type Tree,
} from '../reference/json.js';

const MAX_DEPTH = 64;

/** Strict parser and canonical form, against the second reader and against themselves. */
export const json: Target = {
  name: 'json',
  seeds: [
    '{"a":1,"b":[true,false,null],"c":{"d":"e"}}',
    '[1.0,1,1e0,-0,0.1,1e21,1e-7,9007199254740993,1E400,123456789012345678901234567890]',
    '{"__proto__":{"x":1},"constructor":1,"toString":2,"\\u005f_proto__":3}',
    '{"a":1,"\\u0061":2}',
    '"\\ud83d\\ude00 \\ud800 \u{1f600}\u2028\\u2028\\/\\b\\f"',
    `${'['.repeat(64)}${']'.repeat(64)}`,
    `${'{"a":'.repeat(65)}1${'}'.repeat(65)}`,
    ' [ 1 , 2 ] \r\n',
    '\ufeff{}',
  ].map((text) => Buffer.from(text)),
  words: [
    '{',
    '}',
    '[',
    ']',
    ':',
    ',',
    '"',
    '\\',
    '\\u',
    '\\u0000',
    '\\ud800',
    '\\udc00',
    '\\u0061',
    '"a":',
    '"a"',

    '"__proto__":',
    '-',
    '0',
    '1.0',
    '1e5',
    'e+',
    '1E400',
    '.',
    'true',
    'false',
    'null',
    'NaN',
    '\t',
    '\n',

    '\u2028',
    '\u{1f600}',
    '\ufffd',
    '\ue000',
    '/*',
    '//',
    '9007199254740993',
    '00',
  ],
  maxBytes: 2048,
  run(input) {
    const text = input.toString('utf8');
    const tree = readTree(Buffer.from(text));
    const value = parsed(text);
    const strict = tree !== undefined && isStrict(tree);
    promise((value !== undefined) === strict, 'the strict parser takes strict JSON and nothing else');
    if (value === undefined || tree === undefined) return false;
    const canonical = canonicalize(value);
    promise(canonical === canonicalOf(tree), 'the canonical form is the one of the second reader');
    promise(canonicalize(parseJson(canonical)) === canonical, 'the canonical form is its own canonical form');
    return true;
  },
};

function parsed(text: string): JsonValue | undefined {
  try {
    return parseJson(text);
  } catch (error) {
    promise(isSublError(error, 'invalid_json', 'too_deep'), `the parser throws ${String(error)}`);
    return undefined;
  }
}

function isStrict(tree: Tree): boolean {
  return (
    !hasDuplicates(tree) &&
    !hasLoneSurrogates(tree) &&
    depthOf(tree) <= MAX_DEPTH &&
    longestNumber(tree) <= 1024
  );
}

function canonicalOf(tree: Tree): string {
  switch (tree.kind) {
    case 'string':
      return JSON.stringify(tree.text);
    case 'literal':
      return tree.word;
    case 'number':
      return numberOf(tree.literal);
    case 'array':
      return `[${tree.items.map(canonicalOf).join(',')}]`;
    case 'object':
      return `{${tree.members
        .toSorted(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
        .map(([key, value]) => `${JSON.stringify(key)}:${canonicalOf(value)}`)
        .join(',')}}`;
  }
}

/**
 * The exact decimal value of a literal, laid out by schoolbook rules: digits and a power of ten, then RFC
 * 8785's form.
 */
function numberOf(literal: string): string {
  const negative = literal.startsWith('-');
  const [mantissa, power] = splitPower(literal);
  const [whole = '', fraction = ''] = mantissa.split('.');
  let digits = `${whole}${fraction}`.replace(/^0+/, '');
  let exponent = BigInt(power) - BigInt(fraction.length);
  if (digits === '') return '0';
  while (digits.endsWith('0')) {
    digits = digits.slice(0, -1);
    exponent += 1n;
  }
  const point = exponent + BigInt(digits.length);
  return (negative ? '-' : '') + layOut(digits, point);
}

function splitPower(literal: string): [string, string] {
  const at = literal.search(/[eE]/);
  if (at < 0) return [literal.replace(/^-/, ''), '0'];
  return [literal.slice(0, at).replace(/^-/, ''), literal.slice(at + 1).replace('+', '')];
}

function layOut(digits: string, point: bigint): string {
  const size = BigInt(digits.length);
  if (point > 21n || point < -5n) {
    const rest = digits.length > 1 ? `.${digits.slice(1)}` : '';
    const shown = point - 1n;
    return `${digits[0]}${rest}e${shown < 0n ? '' : '+'}${shown}`;
  }
  if (point <= 0n) return `0.${'0'.repeat(Number(-point))}${digits}`;
  if (point >= size) return digits + '0'.repeat(Number(point - size));
  return `${digits.slice(0, Number(point))}.${digits.slice(Number(point))}`;
}
