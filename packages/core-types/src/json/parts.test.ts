import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hasMoreParts, isOverFrameParts, MAX_MESSAGE_PARTS } from './parts.js';

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

  test('are at most 720896 of a message, which no elements of one mebibyte reach', () => {
    expect(MAX_MESSAGE_PARTS).toBe(720_896);
    const densest = `[${'[],'.repeat(Math.floor((1_048_576 - 4) / 3))}[]]`;
    expect(hasMoreParts(densest, MAX_MESSAGE_PARTS)).toBe(false);
    expect(hasMoreParts(members(60_074), MAX_MESSAGE_PARTS)).toBe(false);
    expect(hasMoreParts(members(60_075), MAX_MESSAGE_PARTS)).toBe(true);
  });

  test('are at most 851968 of a frame, sixteen characters counted as one, and 196608 however long it is', () => {
    // 757,304 commas and an opening bracket, and 1,514,611 characters.
    expect(isOverFrameParts(`[${'0,'.repeat(757_304)}0]`)).toBe(false);
    expect(isOverFrameParts(`[${'0,'.repeat(757_305)}0]`)).toBe(true);
    const long = 'x'.repeat(20_000_000);
    expect(isOverFrameParts(`["${long}",${'0,'.repeat(196_606)}0]`)).toBe(false);
    expect(isOverFrameParts(`["${long}",${'0,'.repeat(196_607)}0]`)).toBe(true);
  });

  test('of a frame are enough for every message that is inspected, though its numbers grow when they are written', () => {
    const grown = (text: string): string => JSON.stringify(JSON.parse(text));
    const numbers = `[${'1e20,'.repeat(209_714)}0]`;
    const values = `{${Array.from({ length: 60_000 }, (_, n) => `"${n.toString(36)}":1e20`).join()}}`;
    for (const message of [numbers, values]) {
      expect(message.length).toBeLessThanOrEqual(1_048_576);
      expect(hasMoreParts(message, MAX_MESSAGE_PARTS)).toBe(false);
      expect(isOverFrameParts(grown(message))).toBe(false);
    }
  });

  test('do not count what stands in a string, however long', () => {
    expect(isOverFrameParts(JSON.stringify([',:[{"\\'.repeat(1_000_000)]))).toBe(false);
  });
});

const members = (count: number): string => `{${'"a":1,'.repeat(count - 1)}"a":1}`;
