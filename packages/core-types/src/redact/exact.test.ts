import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exactMask } from './exact.js';

const VALUE = 'one "two"\\three/four\nfive';
const mask = exactMask([{ name: 'TOKEN', value: VALUE }]) ?? ((text: string) => text);

describe('a text without the values that it must not show', () => {
  it('has a mark for each, as it is and as JSON writes it, once and twice', () => {
    const once = JSON.stringify(VALUE);
    expect(mask(`a ${VALUE} b ${once} c ${JSON.stringify(once)}`)).toBe(
      'a [REDACTED:TOKEN] b "[REDACTED:TOKEN]" c "\\"[REDACTED:TOKEN]\\""',
    );
  });

  it('shows no half of a value where it was cut', () => {
    const text = `${'x'.repeat(100)}${VALUE}`;
    expect(mask(text.slice(0, 114))).toBe(`${'x'.repeat(100)}[REDACTED:TOKEN]`);
    expect(mask(text.slice(0, 104))).toBe(text.slice(0, 104));
  });

  it('is what it was where it holds none', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), (text) => {
        expect(mask(text)).toBe(text);
      }),
    );
    expect(exactMask([])).toBeUndefined();
  });
});
