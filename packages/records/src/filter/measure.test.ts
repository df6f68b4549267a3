import { describe, expect, it } from 'vitest';
import { boundOf } from './measure.js';

describe('a bound', () => {
  it.each([
    ['took', '>2s', 2000, 2001],
    ['took', '>1.5s', 1500, 1501],
    ['took', '>500ms', 500, 501],
    ['took', '>2m', 120_000, 120_001],
    ['took', '>1H', 3_600_000, 3_600_001],
    ['size', '>0b', 0, 1],
    ['size', '>4k', 4096, 4097],
    ['size', '>1m', 1_048_576, 1_048_577],
    ['size', '>2g', 2_147_483_648, 2_147_483_649],
  ] as const)('%s:%s leaves out %d, and %d fits', (key, text, out, fits) => {
    const above = boundOf(key, text);
    expect([above?.(out), above?.(fits)]).toEqual([false, true]);
    const below = boundOf(key, text.replace('>', '<'));
    expect([below?.(out), below?.(out - 1)]).toEqual([false, true]);
  });

  it.each([
    ['took', '2s'],
    ['took', '>2'],
    ['took', '>2k'],
    ['took', '>=2s'],
    ['took', '>-2s'],
    ['took', '>s'],
    ['took', '>2s '],
    ['took', '>1234567890s'],
    ['size', '>1s'],
    ['size', '>1mb'],
    ['size', ''],
  ] as const)('%s:%s is none', (key, text) => {
    expect(boundOf(key, text)).toBeNull();
  });
});
