import fc from 'fast-check';
import { expect, test } from 'vitest';
import { columnsOf } from '../output/columns.js';
import { painter } from '../output/style.js';
import { screenOf, type Shown } from './screen.js';

const QUIET: Shown = {
  strip: [{ text: '0 live', tone: 'good' }],
  runs: [],
  refusals: [],
  at: 0,
  why: () => [],
  isOpen: false,
  now: 0,
};

test('a quiet screen says so, and how a run begins', () => {
  expect(screenOf(QUIET, { columns: 80, rows: 10 }, painter(false))).toEqual([
    '0 live',
    '',
    'no run is live: `sub run -- CMD` starts one',
    '',
    'REFUSED OR ASKED',
    'nothing was refused, and nobody was asked',
    '',
    '',
    '',
    'j k move · Enter all of it · q end',
  ]);
});

test('no screen is higher or wider than its terminal', () => {
  const strip = fc.array(
    fc.record({ text: fc.string({ maxLength: 120 }), tone: fc.constant('plain' as const) }),
    {
      maxLength: 8,
    },
  );
  const why = fc.array(fc.stringMatching(/^[ -~]{0,200}$/), { maxLength: 30 });
  const size = fc.record({
    columns: fc.integer({ min: 1, max: 200 }),
    rows: fc.integer({ min: 1, max: 60 }),
  });
  fc.assert(
    fc.property(strip, why, size, fc.boolean(), (told, lines, { columns, rows }, isOpen) => {
      const shown = { ...QUIET, strip: told, why: () => lines, isOpen };
      const screen = screenOf(shown, { columns, rows }, painter(false));
      expect(screen.length).toBeLessThanOrEqual(rows);
      for (const line of screen) expect(columnsOf(line)).toBeLessThanOrEqual(columns);
    }),
  );
});
