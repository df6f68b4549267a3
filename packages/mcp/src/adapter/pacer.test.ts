import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Pacer } from './pacer.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('turns come at once up to the burst, then at the rate, and are saved up again', async () => {
  const pacer = new Pacer({ perSecond: 10, burst: 3, monotonic: () => performance.now() });
  let taken = 0;
  const take = (turns: number) => {
    for (let turn = 0; turn < turns; turn += 1) void pacer.turn().then(() => (taken += 1));
  };
  take(6);
  await vi.advanceTimersByTimeAsync(0);
  expect(taken).toBe(3);
  await vi.advanceTimersByTimeAsync(100);
  expect(taken).toBe(4);
  await vi.advanceTimersByTimeAsync(200);
  expect(taken).toBe(6);
  await vi.advanceTimersByTimeAsync(10_000);
  take(5);
  await vi.advanceTimersByTimeAsync(0);
  expect(taken).toBe(9);
});
