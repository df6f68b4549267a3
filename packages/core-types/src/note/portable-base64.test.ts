import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readBase64 } from './base64.js';
import { base64Bytes, base64Text } from './portable-base64.js';

const plain = (bytes: Uint8Array | undefined) => (bytes === undefined ? undefined : [...bytes]);

describe('base64 without Buffer', () => {
  it('writes what Buffer writes, and reads it back', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const text = Buffer.from(bytes).toString('base64');
        expect(base64Text(bytes)).toBe(text);
        expect(plain(base64Bytes(text, bytes.length))).toEqual([...bytes]);
        expect(base64Bytes(text, bytes.length + 1)).toBeUndefined();
        expect(readBase64(text, bytes.length + 1)).toBeUndefined();
      }),
    );
  });

  it('takes and refuses the spellings that the reader with Buffer does', () => {
    const text = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...Array.from('AZaz09+/-_= \n')) }));
    fc.assert(
      fc.property(text, (spelling) => {
        const { length } = Buffer.from(spelling, 'base64');
        expect(plain(base64Bytes(spelling))).toEqual(plain(readBase64(spelling, length)));
      }),
      { numRuns: 2000 },
    );
  });
});
