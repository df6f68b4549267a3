import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exactMask, type ExactMask, maskedObject } from './exact.js';

const VALUE = 'one "two"\\three/four\nfive';
const mask: ExactMask = exactMask([{ name: 'TOKEN', value: VALUE }]) ?? ((text) => text);

describe('a text without the values that it must not show', () => {
  it('has a mark for each, as it is and as JSON writes it, once and twice', () => {
    const once = JSON.stringify(VALUE);
    expect(mask(`a ${VALUE} b ${once} c ${JSON.stringify(once)}`)).toBe(
      'a [REDACTED:TOKEN] b "[REDACTED:TOKEN]" c "\\"[REDACTED:TOKEN]\\""',
    );
  });

  it('has a mark for one however JSON spells it, also in a text of JSON, and where that was cut', () => {
    const spelt = String.raw`one \u0022two"\\\u0074hree\/four\u000afive`;
    const twice = JSON.stringify(spelt).slice(1, -1);
    expect(JSON.parse(`"${spelt.replace('two"', String.raw`two\"`)}"`)).toBe(VALUE);
    expect(mask(`a ${spelt} b ${twice} c`)).toBe('a [REDACTED:TOKEN] b [REDACTED:TOKEN] c');
    const before = '\\\\ '.repeat(30);
    expect(mask(`${before}${twice.slice(0, -6)}`)).toBe(`${before}[REDACTED:TOKEN]`);
  });

  it('shows no half of a value where it was cut', () => {
    const text = `${'x'.repeat(100)}${VALUE}`;
    expect(mask(text.slice(0, 114))).toBe(`${'x'.repeat(100)}[REDACTED:TOKEN]`);
    expect(mask(text.slice(0, 104))).toBe(text.slice(0, 104));
  });

  it('has one mark for what overlaps, of the longest', () => {
    const marked = exactMask([
      { name: 'SHORT', value: 'abcdefgh' },
      { name: 'LONG', value: 'xxabcdefghyy' },
      { name: 'NEXT', value: 'ghyyzzzz' },
    ]);
    expect(marked?.('1 abcdefgh 2 xxabcdefghyy 3 xxabcdefghyyzzzz 4 abcdefghabcdefgh')).toBe(
      '1 [REDACTED:SHORT] 2 [REDACTED:LONG] 3 [REDACTED:LONG] 4 [REDACTED:SHORT][REDACTED:SHORT]',
    );
  });

  it('tells nobody who sees it how a value begins, where it was not cut', () => {
    const text = `${'x'.repeat(100)}${VALUE.slice(0, 14)}`;
    expect(mask(text, false)).toBe(text);
    expect(mask(`${text} ${VALUE}`, false)).toBe(`${text} [REDACTED:TOKEN]`);
  });

  it('costs time in proportion to the text, whatever the values are', () => {
    const many = Array.from({ length: 512 }, (_, n) => ({
      name: 'A',
      value: `${'a'.repeat(250)}${1000 + n}`,
    }));
    const long = Array.from({ length: 4 }, (_, n) => ({
      name: 'A',
      value: `${'a'.repeat(32_000)}${1000 + n}`,
    }));
    for (const values of [many, long]) {
      const marked = exactMask(values) ?? mask;
      for (const piece of ['a', '\\\\', '\\u0061']) {
        const text = piece.repeat(400_000);
        expect(marked(`${text}b`)).toBe(`${text}b`);
      }
    }
  });

  it('is what it was where it holds none', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), fc.boolean(), (part, twice) => {
        const text = twice ? JSON.stringify(JSON.stringify(part)) : `\\u00${part}\\`;
        expect(mask(text)).toBe(text);
      }),
    );
    expect(exactMask([])).toBeUndefined();
  });
});

describe('an object without the values that it must not show', () => {
  it('keeps every member, also those whose names are shown alike, or as another one is named', () => {
    const masked = exactMask([
      { name: 'T', value: 'first-secret' },
      { name: 'T', value: 'second-secret' },
    ]);
    const object = {
      'first-secret': 'a',
      'second-secret': { 'of first-secret': 'b', 'of second-secret': 'it is first-secret' },
      '[REDACTED:T]': 'c',
    };
    expect(maskedObject(object, (text) => masked?.(text) ?? text)).toEqual({
      '[REDACTED:T] 2': 'a',
      '[REDACTED:T] 3': { 'of [REDACTED:T]': 'b', 'of [REDACTED:T] 2': 'it is [REDACTED:T]' },
      '[REDACTED:T]': 'c',
    });
  });
});
