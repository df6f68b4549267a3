import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exactSpans, type FindValues, NO_VALUES, parseJson } from '@subluminal/core-types';
import type { Outcome } from '../message/message.js';
import { endOfAnswer } from './call-end.js';

const endOf = (outcome: Outcome, values: FindValues) =>
  endOfAnswer({ outcome, bytes: 10, latencyMs: 3, streamHash: undefined }, values);
const end = (text: string, values = NO_VALUES) =>
  endOf({ kind: 'result', value: parseJson(text), asksInput: false }, values);

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

test('of a secret that looks like one in part nothing is shown', () => {
  const values = exactSpans([
    { name: 'A', value: 'Tr0ub4dor&3-horse-staple' },
    { name: 'B', value: 'postgres://app:hunter22@db-7f3a.internal/prod?sslkey=9f8e7d6c' },
  ]);
  const text =
    'PASSWORD=Tr0ub4dor&3-horse-staple postgres://app:hunter22@db-7f3a.internal/prod?sslkey=9f8e7d6c';
  const shown = [
    end(JSON.stringify({ text }), values).preview.result_preview,
    endOf({ kind: 'error', forged: false, value: { code: 1, message: text } }, values).error?.message,
  ];
  for (const one of shown) {
    expect(one).toContain('PASSWORD=[REDACTED]');
    expect(one).not.toMatch(/horse|db-7f3a|9f8e/);
  }
});
