import { describe, expect, it } from 'vitest';
import { ago, byteCount, span, wholeTime, wholeTimeOf } from './time.js';

const NOW = Date.UTC(2026, 0, 31, 12, 0, 0);

describe('ago', () => {
  it.each([
    [NOW, 'now'],
    [NOW - 12_000, '12s ago'],
    [NOW - 3 * 60_000, '3m ago'],
    [NOW - 2 * 3_600_000, '2h ago'],
    [NOW - 5 * 86_400_000, '5d ago'],
    [Date.UTC(2025, 5, 1), '2025-06-01'],
    [NOW + 60_000, 'in 1m'],
  ])('tells %d as %s', (then, text) => {
    expect(ago(then, NOW)).toBe(text);
  });
});

it('spans use their largest whole unit', () => {
  expect([span(3), span(1500), span(90_000), span(7_300_000)]).toEqual(['3ms', '1s', '1m', '2h']);
});

it('a whole time is local, and says how far from UTC that is', () => {
  const text = wholeTime(NOW + 1000);
  expect(text).toMatch(/^2026-0[12]-\d\d \d\d:\d\d:01 [+-]\d\d:\d\d$/);
  // The same moment, by another reader.
  expect(Date.parse(text.replace(' ', 'T').replace(' ', ''))).toBe(NOW + 1000);
  expect(wholeTimeOf('2026-01-31T12:00:01.000Z')).toBe(text);
  expect(wholeTimeOf('2026 things')).toBe('2026 things');
});

it('byte counts are readable', () => {
  expect([byteCount(0), byteCount(1536), byteCount(64 * 1024 * 1024)]).toEqual(['0 B', '1.5 KB', '64.0 MB']);
});
