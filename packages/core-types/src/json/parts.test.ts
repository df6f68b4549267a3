import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hasMoreParts, MAX_FRAME_PARTS, MAX_MESSAGE_PARTS } from './parts.js';

/** The same, counted over the parsed value. */
function partsOf(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + partsOf(one), seps(value.length));
  if (typeof value !== 'object' || value === null) return 0;
  const members = Object.values(value);
  return members.reduce<number>((sum, one) => sum + partsOf(one), seps(members.length) + 11 * members.length);
}

const seps = (count: number): number => 1 + Math.max(0, count - 1);

describe('the parts of a frame', () => {
  test('are its commas, its opening brackets and eleven for each member, outside of strings', () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ stringUnit: fc.constantFrom('"', '\\', ',', ':', '[', '{', 'é') }),
        (value) => {
          const text = JSON.stringify(value);
          const parts = partsOf(value);
          // Shorter texts are settled by their length.
          fc.pre(3 * text.length > parts);
          expect(hasMoreParts(text, parts)).toBe(false);
          if (parts > 0) expect(hasMoreParts(text, parts - 1)).toBe(true);
        },
      ),
    );
  });

  test('are at most 786432, of a message 720896, which no elements of one mebibyte reach', () => {
    expect([MAX_FRAME_PARTS, MAX_MESSAGE_PARTS]).toEqual([786_432, 720_896]);
    const densest = `[${'[],'.repeat(Math.floor((1_048_576 - 4) / 3))}[]]`;
    expect(hasMoreParts(densest, MAX_MESSAGE_PARTS)).toBe(false);
    expect(hasMoreParts(`[${'0,'.repeat(786_431)}0]`, MAX_FRAME_PARTS)).toBe(false);
    expect(hasMoreParts(`[${'0,'.repeat(786_432)}0]`, MAX_FRAME_PARTS)).toBe(true);
    const members = (count: number): string => `{${'"a":1,'.repeat(count - 1)}"a":1}`;
    expect(hasMoreParts(members(65_536), MAX_FRAME_PARTS)).toBe(false);
    expect(hasMoreParts(members(65_537), MAX_FRAME_PARTS)).toBe(true);
  });

  test('do not count what stands in a string, however long', () => {
    expect(hasMoreParts(JSON.stringify([',:[{"\\'.repeat(1_000_000)]), MAX_FRAME_PARTS)).toBe(false);
  });
});
