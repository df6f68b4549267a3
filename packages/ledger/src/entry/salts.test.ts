import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Salts } from './salts.js';

/** Counts upwards, so that every salt tells which bytes it was cut from. */
function counting(): { readonly draws: number[]; readonly source: (size: number) => Uint8Array } {
  const draws: number[] = [];
  let next = 0;
  const source = (size: number): Uint8Array => {
    draws.push(size);
    const words = Uint32Array.from({ length: size / 4 }, () => (next += 1));
    return new Uint8Array(words.buffer);
  };
  return { draws, source };
}

describe('salts', () => {
  it('are 16 bytes each, cut one after the other from draws of 4 KiB', () => {
    const { draws, source } = counting();
    const salts = new Salts(source);
    expect(draws).toEqual([]);
    const words = Array.from({ length: 513 }, () => [...new Uint32Array(salts.next().buffer)]).flat();
    expect(words).toEqual(Array.from({ length: 4 * 513 }, (_, at) => at + 1));
    expect(draws).toEqual([4096, 4096, 4096]);
  });

  it('share no memory: what becomes of one changes no other', () => {
    const salts = new Salts(counting().source);
    const first = salts.next();
    first.fill(0xff);
    expect([...new Uint32Array(salts.next().buffer)]).toEqual([5, 6, 7, 8]);
    expect(first.buffer.byteLength).toBe(16);
  });

  it('leave what they were drawn from alone', () => {
    const drawn = new Uint8Array(randomBytes(4096));
    const before = drawn.slice();
    new Salts(() => drawn).next();
    expect(drawn).toEqual(before);
  });
});
