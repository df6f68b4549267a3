import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Bytes } from './bytes.js';

const letters = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 24 });

describe('bytes', () => {
  it('hold what stands in them, at every place and of every length', () => {
    fc.assert(
      fc.property(letters, letters, fc.integer({ min: -3, max: 26 }), (text, piece, at) => {
        const isThere =
          at >= 0 && text.slice(at, at + piece.length) === piece && at + piece.length <= text.length;
        expect(Bytes.of(text).holds(at, Bytes.of(piece))).toBe(isThere);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([1, 2, 3, 4, 5, 7, 8, 9, 64])('do not hold %d bytes of which one differs', (length) => {
    for (let at = 0; at < length; at += 1) {
      const other = Buffer.alloc(length + 4, 'a');
      other[at + 2] = 0x62;
      expect(Bytes.of(`..${'a'.repeat(length)}..`).holds(2, new Bytes(other), 2, length)).toBe(false);
    }
  });

  it('are copied, and no more than was asked for', () => {
    const bytes = Bytes.of('................');
    bytes.copy(3, Bytes.of('0123456789abcdef'), 2, 2);
    expect(bytes.text()).toBe('...23456789.....');
  });
});
