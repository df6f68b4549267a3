import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { FrameDecoder } from './decoder.js';
import { encodeFrame } from './encode.js';

const base = { name: z.string(), max_bytes: z.number(), stream: z.string() };
const { valid, invalid } = z
  .object({
    valid: z.array(z.object({ ...base, texts: z.array(z.string()) })).min(5),
    invalid: z.array(z.object({ ...base, code: z.string() })).min(5),
  })
  .parse(JSON.parse(readFileSync(new URL('../../../../vectors/frames.json', import.meta.url), 'utf8')));

function* pieces(stream: Buffer, sizes: readonly number[]): Generator<Buffer> {
  let at = 0;
  for (let index = 0; at < stream.length; index += 1) {
    const size = sizes[index % sizes.length] ?? 1;
    yield stream.subarray(at, at + size);
    at += size;
  }
}

function decodeAll(stream: Buffer, maxBytes: number, sizes: readonly number[]): string[] {
  const decoder = new FrameDecoder({ maxBytes });
  const texts = [...pieces(stream, sizes)].flatMap((piece) => decoder.push(piece));
  expect(decoder.buffered).toBe(0);
  return texts;
}

describe('frames', () => {
  it.each(valid)('decodes $name, whole and byte by byte', ({ stream, max_bytes: maxBytes, texts }) => {
    const bytes = Buffer.from(stream, 'hex');
    expect(decodeAll(bytes, maxBytes, [bytes.length])).toEqual(texts);
    expect(decodeAll(bytes, maxBytes, [1])).toEqual(texts);
    expect(Buffer.concat(texts.map((text) => encodeFrame(text, maxBytes))).toString('hex')).toBe(stream);
  });

  it.each(invalid)('refuses $name, whole and byte by byte', ({ stream, max_bytes: maxBytes, code }) => {
    const bytes = Buffer.from(stream, 'hex');
    for (const size of [bytes.length, 1]) {
      expect(() => decodeAll(bytes, maxBytes, [size])).toThrow(expect.objectContaining({ code }));
    }
  });

  it('come out the same however the stream is cut', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 3000 });
    const sizes = fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 1 });
    fc.assert(
      fc.property(fc.array(text), sizes, (texts, cuts) => {
        const stream = Buffer.concat(texts.map((one) => encodeFrame(one)));
        expect(decodeAll(stream, 1 << 20, cuts)).toEqual(texts);
      }),
    );
  });

  it('refuses to encode what would not decode to the same text', () => {
    expect(() => encodeFrame('')).toThrow(expect.objectContaining({ code: 'frame_empty' }));
    expect(() => encodeFrame('éé', 3)).toThrow(expect.objectContaining({ code: 'frame_too_large' }));
    expect(() => encodeFrame('\ud800')).toThrow(expect.objectContaining({ code: 'frame_bad_utf8' }));
    expect(encodeFrame('éé', 4)).toHaveLength(8);
  });
});

describe('FrameDecoder', () => {
  it('stays failed after an error and keeps nothing', () => {
    const decoder = new FrameDecoder({ maxBytes: 8 });
    expect(() => decoder.push(Buffer.from('00000009', 'hex'))).toThrow('larger than 8');
    expect(decoder.buffered).toBe(0);
    expect(() => decoder.push(encodeFrame('{}'))).toThrow(
      expect.objectContaining({ code: 'frame_too_large' }),
    );
  });

  it('counts the bytes that it holds', () => {
    const decoder = new FrameDecoder({ maxBytes: 100 });
    const frame = encodeFrame('0123456789');
    decoder.push(frame.subarray(0, 3));
    expect(decoder.buffered).toBe(3);
    decoder.push(frame.subarray(3, 9));
    expect(decoder.buffered).toBe(9);
    expect(decoder.push(frame.subarray(9))).toEqual(['0123456789']);
    expect(decoder.buffered).toBe(0);
  });

  it('does not see later changes of a chunk that it was given', () => {
    const decoder = new FrameDecoder({ maxBytes: 100 });
    const first = Buffer.from(encodeFrame('abcdef').subarray(0, 7));
    decoder.push(first);
    first.fill(0);
    expect(decoder.push(Buffer.from('def'))).toEqual(['abcdef']);
  });

  it('takes an 8 MiB frame in small pieces', () => {
    const text = 'x'.repeat(8 * 1024 * 1024);
    expect(decodeAll(encodeFrame(text), text.length, [61]).map((one) => one === text)).toEqual([true]);
  });
});
