import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalize } from './canonicalize.js';
import { compareCodePoints } from './code-points.js';
import { parseJson } from './parse.js';
import { ExactNumber } from './value.js';

/** An independent writer: keys ordered by their UTF-8 bytes, everything else left to JSON.stringify. */
function oracle(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(oracle).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).toSorted(([a], [b]) =>
    Buffer.compare(Buffer.from(a), Buffer.from(b)),
  );
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${oracle(item)}`).join(',')}}`;
}

function shuffled(value: unknown, order: readonly number[]): unknown {
  if (Array.isArray(value)) return value.map((item) => shuffled(item, order));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item], index) => ({
    key,
    item: shuffled(item, order),
    rank: order[index % order.length] ?? 0,
  }));
  const result: { [key: string]: unknown } = Object.create(null);
  for (const { key, item } of entries.toSorted((a, b) => a.rank - b.rank)) result[key] = item;
  return result;
}

const anyText = fc.string({ unit: 'grapheme', maxLength: 60 });
const anyJson = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    anyText,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(
      fc.oneof(anyText, fc.constantFrom('__proto__', '10', '9', 'a', '\uffff', '\u{10000}')),
      tie('value'),
    ),
  ),
})).value;

describe('canonicalize', () => {
  it('writes what an independent writer writes', () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        expect(canonicalize(value)).toBe(oracle(value));
      }),
      { numRuns: 500 },
    );
  });

  it('writes what is in order and what is not alike', () => {
    const toJSON = 'a text, no function';
    expect(canonicalize({ a: -0, b: [null, true, 1e21, 5e-324], toJSON })).toBe(
      '{"a":0,"b":[null,true,1e+21,5e-324],"toJSON":"a text, no function"}',
    );
    // Node orders keys that look like indexes by themselves.
    expect(canonicalize({ 10: 1, 9: 2 })).toBe('{"10":1,"9":2}');
    expect(canonicalize({ a: { '\uffff': 1, '\u{10000}': 2 } })).toBe('{"a":{"\uffff":1,"\u{10000}":2}}');
    expect(canonicalize({ a: { '\u{10000}': 2, '\uffff': 1 } })).toBe('{"a":{"\uffff":1,"\u{10000}":2}}');
    expect(canonicalize({ a: new ExactNumber('1e400'), b: '\u2028"\\' })).toBe(
      '{"a":1e+400,"b":"\u2028\\"\\\\"}',
    );
  });

  it('asks no value how it wants to be written', () => {
    const says = { value: () => 9 };
    const array = Object.defineProperty([1], 'toJSON', says);
    const object = Object.defineProperty({ a: 1 }, 'toJSON', says);
    expect(canonicalize({ array, object })).toBe('{"array":[1],"object":{"a":1}}');
    const inherited: unknown[] = Object.setPrototypeOf([1], { toJSON: () => 9 });
    expect(canonicalize([inherited])).toBe('[[1]]');
  });

  it('does not depend on the order of keys', () => {
    fc.assert(
      fc.property(anyJson, fc.array(fc.nat(), { minLength: 1 }), (value, order) => {
        expect(canonicalize(shuffled(value, order))).toBe(canonicalize(value));
      }),
    );
  });

  it('is the fixed point of reading and writing', () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        const text = canonicalize(value);
        expect(canonicalize(parseJson(text))).toBe(text);
      }),
    );
  });

  it('writes every double as JSON.stringify does', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (double) => {
        expect(canonicalize(double)).toBe(JSON.stringify(double));
      }),
    );
  });

  it('writes exact numbers in full', () => {
    expect(canonicalize({ id: new ExactNumber('9007199254740993.0') })).toBe('{"id":9007199254740993}');
  });

  it('sorts by code point where UTF-16 sorts otherwise', () => {
    expect(canonicalize({ '\u{1f600}': 1, '\ufb33': 2 })).toBe('{"\ufb33":2,"\u{1f600}":1}');
    expect(['\ufb33', '\u{1f600}'].toSorted()).toEqual(['\u{1f600}', '\ufb33']);
  });

  it('sorts keys like their UTF-8 bytes', () => {
    const unit = fc.constantFrom(
      'a',
      '\0',
      '\ud7ff',
      '\ue000',
      '\ufffe',
      '\uffff',
      '\u{10000}',
      '\u{10ffff}',
    );
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ unit, maxLength: 4 }), { maxLength: 12 }), (keys) => {
        const sorted = keys.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
        const text = canonicalize(Object.fromEntries(keys.map((key) => [key, 1])));
        expect(text).toBe(`{${sorted.map((key) => `${JSON.stringify(key)}:1`).join()}}`);
      }),
      { numRuns: 2000 },
    );
  });

  it('orders like the UTF-8 bytes', () => {
    fc.assert(
      fc.property(anyText, anyText, (a, b) => {
        const bytes = Buffer.compare(Buffer.from(a), Buffer.from(b));
        expect(Math.sign(compareCodePoints(a, b))).toBe(bytes);
      }),
    );
  });

  it.each([
    ['undefined', undefined],
    ['an undefined property', { a: undefined }],
    ['NaN', [Number.NaN]],
    ['infinity', -Infinity],
    ['a bigint', 1n],
    ['a function', { toJSON: () => 1 }],
    ['a symbol', Symbol('x')],
    ['a date', new Date(0)],
    ['a map', new Map()],
    ['bytes', Buffer.from('a')],
    ['an error', new Error('x')],
    ['a hole in an array', Array(2)],
    ['a lone surrogate', 'a\ud800'],
    ['a lone surrogate in a long string', `${'a'.repeat(100)}\udc00`],
    ['a lone surrogate as key', { '\ud800': 1 }],
    ['a lone surrogate deep inside what is in order', { a: [{ b: 'x', c: '\udc00' }] }],
    ['an array with a hole deep inside what is in order', { a: [{ b: Array(2) }] }],
    ['an object that says itself how it is written', { a: { toJSON: () => ({}) } }],
    ['an object of a class deep inside what is in order', { a: [{ b: new Set() }] }],
  ])('refuses %s', (_, value) => {
    expect(() => canonicalize(value)).toThrow(expect.objectContaining({ code: 'not_canonical' }));
  });

  it('refuses cycles and more than 64 levels', () => {
    const cycle: unknown[] = [];
    cycle.push({ cycle });
    expect(() => canonicalize(cycle)).toThrow(expect.objectContaining({ code: 'too_deep' }));
    const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);
    expect(canonicalize(nested(64))).toBe('['.repeat(64) + '1' + ']'.repeat(64));
    expect(() => canonicalize(nested(65))).toThrow(expect.objectContaining({ code: 'too_deep' }));
  });

  it('lets no exact number slip through JSON.stringify', () => {
    expect(() => JSON.stringify({ n: new ExactNumber('1e400') })).toThrow(
      expect.objectContaining({ code: 'not_canonical' }),
    );
  });
});
