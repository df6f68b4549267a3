import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Deadlines } from './deadlines.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Deadlines that are kept in a set until they have passed. */
function watched() {
  const open = new Set<number>();
  const passed: number[] = [];
  const deadlines = new Deadlines(
    () => Date.now(),
    (now) => {
      for (const deadline of open) {
        if (deadline > now) continue;
        open.delete(deadline);
        passed.push(now);
      }
      return Math.min(...open);
    },
  );
  const start = Date.now();
  return {
    deadlines,
    wait: (ms: number) => open.add(deadlines.in(ms)),
    answered: () => open.clear(),
    passed: () => passed.map((now) => now - start),
  };
}

test('each deadline is told when it passes, whatever order they were set in', () => {
  const { wait, passed } = watched();
  wait(300);
  wait(100);
  wait(200);
  vi.advanceTimersByTime(250);
  expect(passed()).toEqual([100, 200]);
  wait(10);
  vi.advanceTimersByTime(1000);
  expect(passed()).toEqual([100, 200, 260, 300]);
});

test('many deadlines take one timer', () => {
  const { wait } = watched();
  for (let n = 0; n < 100; n += 1) wait(60_000);
  expect(vi.getTimerCount()).toBe(1);
});

test('nothing is told of what was answered, and a later deadline is still kept', () => {
  const { wait, answered, passed } = watched();
  wait(100);
  answered();
  vi.advanceTimersByTime(50);
  wait(100);
  vi.advanceTimersByTime(1000);
  expect(passed()).toEqual([150]);
});

test('nothing is told after the end', () => {
  const { deadlines, wait, passed } = watched();
  wait(100);
  deadlines.stop();
  vi.advanceTimersByTime(1000);
  expect(passed()).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});

test('a deadline that is further off than a timer can wait does not wake anybody before', () => {
  const onDue = vi.fn<() => number>(() => Number.POSITIVE_INFINITY);
  const deadlines = new Deadlines(() => Date.now(), onDue);
  deadlines.in(2 ** 32);
  vi.advanceTimersByTime(1000);
  expect(onDue).not.toHaveBeenCalled();
});
