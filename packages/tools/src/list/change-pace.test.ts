import { expect, test } from 'vitest';
import { ChangePace } from './change-pace.js';

function paceAt(start: number): { pace: ChangePace; at: (ms: number) => void } {
  let now = start;
  const at = (ms: number): void => {
    now = ms;
  };
  return { pace: new ChangePace(() => now), at };
}

function taken(pace: ChangePace, server: string, times: number): number {
  return Array.from({ length: times }, () => pace.take(server, 1)).filter(Boolean).length;
}

test('one server may change its list sixty times at once, and once a second from then on', () => {
  const { pace, at } = paceAt(0);
  expect(taken(pace, 'a', 100)).toBe(60);
  expect(taken(pace, 'b', 10)).toBe(10);
  at(5000);
  expect(taken(pace, 'a', 100)).toBe(5);
  at(1_000_000);
  expect(taken(pace, 'a', 100)).toBe(60);
});

test('a change of many tools passes whole, and is paid off before the next one', () => {
  const { pace, at } = paceAt(0);
  expect(taken(pace, 'a', 59)).toBe(59);
  expect(pace.take('a', 4096)).toBe(true);
  at(60_000);
  expect(pace.take('a', 1)).toBe(false);
  at(65_000);
  expect(pace.take('a', 1)).toBe(true);
});

test('all together may change six hundred times at once, and a clock that goes back gives nothing', () => {
  const { pace, at } = paceAt(10_000);
  const all = (): number =>
    Array.from({ length: 20 }, (_, n) => taken(pace, `s${n}`, 60)).reduce((a, b) => a + b);
  expect(all()).toBe(600);
  at(0);
  expect(all()).toBe(0);
});
