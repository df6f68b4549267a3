import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hmac, SessionKey } from './session-key.js';

const keys = fc.uint8Array({ minLength: 1, maxLength: 64 });
const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 400 }),
  fc.string({ unit: 'grapheme', maxLength: 400 }),
  fc.nat(3000).map((length) => 'ÿ€😀'.repeat(length).slice(0, length)),
);

it('signs as HMAC-SHA256 does, whatever the key, the text and the texts before it', () => {
  fc.assert(
    fc.property(keys, fc.array(texts, { maxLength: 5 }), (bytes, list) => {
      const key = new SessionKey(bytes);
      for (const text of list) {
        const right = createHmac('sha256', bytes).update(text).digest('base64url');
        expect(key.mac(text)).toBe(right);
        expect(hmac(createSecretKey(bytes), text)).toBe(right);
      }
    }),
    { numRuns: 300 },
  );
});

it('is the key that it was made of, and shows it to nobody', () => {
  const bytes = randomBytes(32);
  const key = new SessionKey(bytes);
  expect(key.export()).toEqual(bytes);
  expect(key.equals(new SessionKey(bytes))).toBe(true);
  expect(key.equals(new SessionKey(randomBytes(32)))).toBe(false);
  expect(Reflect.ownKeys(key)).toEqual([]);
  expect(JSON.stringify(key)).toBe('{}');
});

it('has no more bytes than a block', () => {
  expect(() => new SessionKey(new Uint8Array(65))).toThrow(RangeError);
});
