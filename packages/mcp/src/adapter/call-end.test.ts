import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseJson } from '@subluminal/core-types';
import { endOfAnswer } from './call-end.js';

const end = (text: string) =>
  endOfAnswer({
    outcome: { kind: 'result', value: parseJson(text), asksInput: false },
    bytes: 10,
    latencyMs: 3,
    streamHash: undefined,
  });

test('a small result is shown as its json', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 3 }), (json) => {
      const text = JSON.stringify(JSON.parse(json));
      const { preview } = end(text);
      if (text.length < 16_000 && !preview.truncated && !preview.result_preview?.includes('[REDACTED]')) {
        expect(JSON.parse(preview.result_preview ?? '')).toEqual(JSON.parse(text));
      }
    }),
    { numRuns: 200 },
  );
});

test('numbers that a double would round are shown as they were', () => {
  expect(end('{"n":9007199254740993}').preview.result_preview).toBe('{"n":9007199254740993}');
});

test('a large result is cut to 16384 bytes, and the cut is told', () => {
  for (const text of [
    `{"t":"${'é'.repeat(400_000)}"}`,
    JSON.stringify(Array.from({ length: 100_000 }, (_, n) => n)),
    JSON.stringify(Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`k${n}`, { n }]))),
  ]) {
    const { preview } = end(text);
    expect(preview.truncated).toBe(true);
    expect(Buffer.byteLength(preview.result_preview ?? '')).toBeLessThanOrEqual(16_384);
    expect(text.startsWith((preview.result_preview ?? 'none').slice(0, 1000))).toBe(true);
  }
});

test('secrets in a result are not shown', () => {
  const { preview } = end('{"content":[{"text":"Authorization: Bearer abcdefghijklmnop1234567890"}]}');
  expect(preview.result_preview).toContain('[REDACTED]');
  expect(preview.result_preview).not.toContain('abcdefghijklmnop');
});

test('isError makes an error of a result, and only as true of the result itself', () => {
  expect(end('{"isError":true}')).toMatchObject({ status: 'ERROR', error: { class: 'upstream_error' } });
  expect(end('{"isError":"true"}').status).toBe('OK');
  expect(end('{"content":{"isError":true}}').status).toBe('OK');
});
