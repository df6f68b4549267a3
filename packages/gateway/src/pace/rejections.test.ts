import { expect, it } from 'vitest';
import { RejectionBuckets } from './rejections.js';

it('lets forty through at once and twenty a second after that, and counts the others by caller', () => {
  let now = 1_000_000;
  const buckets = new RejectionBuckets(() => now);
  const take = (source: string, count: number): number =>
    Array.from({ length: count }, () => buckets.take(source)).filter(Boolean).length;
  expect(take('run-a', 100)).toBe(40);
  expect(take('run-b', 3)).toBe(3);
  now += 1000;
  expect(take('run-a', 100)).toBe(20);
  expect(buckets.drain()?.entries.map(({ type, data }) => [type, data])).toEqual([
    ['rejections_dropped', { source: 'run-a', count: 140 }],
  ]);
  expect(buckets.drain()).toBeUndefined();
});

it('gives nothing back when the clock goes back', () => {
  let now = 1_000_000;
  const buckets = new RejectionBuckets(() => now);
  for (let index = 0; index < 40; index += 1) buckets.take('run-a');
  now -= 500_000;
  expect(buckets.take('run-a')).toBe(false);
});
