import { ExactNumber, type JsonObject, type JsonValue, parseJson } from '@subluminal/core-types';
import { describe, expect, it } from 'vitest';
import { fits } from './fits.js';

const schema = (value: object): JsonObject => JSON.parse(JSON.stringify(value));

describe('a value fits a schema', () => {
  it.each<[object, JsonValue, boolean]>([
    [{}, 1, true],
    [{ type: 'string' }, 'x', true],
    [{ type: 'string' }, 1, false],
    [{ type: ['string', 'null'] }, null, true],
    [{ type: 'integer' }, 1.5, false],
    [{ type: 'array', items: { type: 'number' }, minItems: 1, maxItems: 2 }, [1, 2], true],
    [{ type: 'array', items: { type: 'number' } }, [1, '2'], false],
    [{ minItems: 1 }, [], false],
    [{ maxItems: 1 }, [1, 2], false],
    [{ enum: ['a', { b: [1] }] }, { b: [1] }, true],
    [{ enum: ['a', { b: [1] }] }, { b: [1, 2] }, false],
    [{ const: null }, null, true],
    [{ const: { a: 1 } }, { a: 1, b: 2 }, false],
    [{ minimum: 1, maximum: 3 }, 3, true],
    [{ exclusiveMinimum: 1 }, 1, false],
    [{ exclusiveMaximum: 3 }, 3, false],
    [{ minLength: 2, maxLength: 2 }, '😀x', true],
    [{ maxLength: 1 }, '😀x', false],
    [{ properties: { a: { type: 'number' } }, required: ['a'], additionalProperties: false }, { a: 1 }, true],
    [{ properties: { a: { type: 'number' } }, additionalProperties: false }, { b: 1 }, false],
    [
      { properties: { a: { type: 'number' } }, additionalProperties: { type: 'string' } },
      { a: 1, b: 'x' },
      true,
    ],
    [{ required: ['a'] }, {}, false],
    [{ required: ['toString'] }, {}, false],
    [{ minProperties: 1, maxProperties: 1 }, { a: 1 }, true],
    [{ minProperties: 1 }, {}, false],
    [{ maxProperties: 0 }, { a: 1 }, false],
    [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, 1, true],
    [{ allOf: [{ minimum: 1 }, { maximum: 2 }] }, 3, false],
    [{ title: 't', description: 'd', default: 1, format: 'uri', examples: [1] }, 'x', true],
  ])('%j and %j: %s', (described, value, expected) => {
    expect(fits(value, schema(described))).toBe(expected);
  });

  it.each<[string, object]>([
    ['a regular expression of the server', { pattern: '(a+)+$' }],
    ['names by regular expressions', { patternProperties: { '(a+)+$': {} } }],
    ['a reference', { $ref: '#/definitions/x', definitions: { x: {} } }],
    ['a keyword that is not known', { unevaluatedProperties: false }],
    ['alternatives that exclude each other', { oneOf: [{}] }],
    ['something not to be', { not: {} }],
    ['a schema that is none', { properties: { a: 'string' } }],
    ['a type that is none', { type: 'text' }],
  ])('only where it can be told: not with %s', (_name, described) => {
    expect(fits({ a: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!' }, schema(described))).toBe(false);
  });

  it('only where a number has one reading', () => {
    expect(fits(parseJson('9007199254740993'), schema({ type: 'number' }))).toBe(false);
    expect(fits([new ExactNumber('0.1000000000000000001')], schema({ items: { minimum: 0 } }))).toBe(false);
  });

  it('in bounded time, however hostile the schema is', () => {
    const many = Array.from({ length: 20_000 }, (_, at) => ({ a: { b: [at, 'x'.repeat(20)] } }));
    const wide = schema({ allOf: Array.from({ length: 20_000 }, () => true) });
    let deep: object = {};
    for (let at = 0; at < 5000; at += 1) deep = { anyOf: [{ type: 'null' }, { items: deep }, deep] };
    const value: JsonValue = Array.from({ length: 4000 }, () => ({ a: { b: [-1, 'x'.repeat(20)] } }));
    const started = performance.now();
    for (const hostile of [
      { items: { enum: many } },
      { items: wide },
      deep,
      { items: { required: many.map(String) } },
    ]) {
      expect(fits(value, hostile as JsonObject)).toBe(false);
    }
    expect(performance.now() - started).toBeLessThan(2000);
  });
});
