import { describe, expect, it } from 'vitest';
import { parseMoment } from './moment.js';

/** Saturday noon, wherever this machine is. */
const NOW = new Date(2026, 0, 31, 12).getTime();
const day = (date: number, month = 0): number => new Date(2026, month, date).getTime();

describe('a moment', () => {
  it.each([
    ['15m', NOW - 900_000],
    ['3d', NOW - 3 * 86_400_000],
    ['today', day(31)],
    ['yesterday', day(30)],
    ['Yesterday', day(30)],
    ['saturday', day(31)],
    ['monday', day(26)],
    ['sun', day(25)],
    ['2026-01-30', day(30)],
    ['2026-01-30T10:00:00Z', Date.UTC(2026, 0, 30, 10)],
    ['2026-01-30T10:00:00+02:00', Date.UTC(2026, 0, 30, 8)],
    ['2026-01-30T10:00', new Date(2026, 0, 30, 10).getTime()],
    [String(NOW), NOW],
  ])('is read from `%s`', (text, moment) => {
    expect(parseMoment(text, NOW, 'start')).toBe(moment);
  });

  it.each([
    ['yesterday', day(31) - 1],
    ['2026-01-30', day(31) - 1],
    ['today', day(1, 1) - 1],
    ['2h', NOW - 7_200_000],
  ])('that ends something is the end of the day in `%s`', (text, moment) => {
    expect(parseMoment(text, NOW, 'end')).toBe(moment);
  });

  it.each(['', 'tomorrow', 'mo', '5 minutes', '-5m', '2026-13-45', '2026-02-30', '5y', '1e9'])(
    'is not guessed at in `%s`',
    (text) => {
      expect(parseMoment(text, NOW, 'start')).toBeNull();
    },
  );
});
