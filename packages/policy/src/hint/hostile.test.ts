import type { JsonObject, JsonValue } from '@subluminal/core-types';
import { describe, expect, it } from 'vitest';
import { fits } from './fits.js';
import { fillIn, unknownPlaceholder } from './template.js';

const items = (schema: JsonObject): JsonObject => ({ properties: { x: { items: schema } } });
const times = (count: number, value: JsonValue): JsonValue[] => Array.from({ length: count }, () => value);

describe('a hint', () => {
  it.each<[string, JsonObject, JsonObject]>([
    ['types', items({ type: [...times(20_000, 'array'), 'integer'] }), { x: times(9000, 1) }],
    ['names', items({ required: times(20_000, 'a') }), { x: times(6000, { a: 1 }) }],
    [
      'counts of members',
      { allOf: times(9000, { minProperties: 1 }) },
      Object.fromEntries(times(4000, 1).map((one, at) => [`k${at}`, one])),
    ],
  ])('costs a bounded time, however long the lists of %s in a schema are', (_, schema, args) => {
    const began = performance.now();
    expect(fits(args, schema)).toBe(false);
    expect(performance.now() - began).toBeLessThan(1000);
  });

  it('has templates that are read in a time as long as they are', () => {
    const text = '{{'.repeat(120_000);
    const began = performance.now();
    expect(unknownPlaceholder(text, false)).toBeUndefined();
    expect(fillIn(text, { args: {}, remaining: undefined })).toBe(text);
    expect(performance.now() - began).toBeLessThan(1000);
  });
});
