import type { LedgerReader, SweepMemory, SweepQuestion } from '@subluminal/ledger';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createLogger } from '../base/logger.js';
import { SweepKeeper, WORTH_KEEPING } from './sweep-keeper.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const memoryAt = (upTo: number): SweepMemory => ({ upTo, leaf: '', asked: [], files: [], runs: [] });

function keeper(sweep = (question: SweepQuestion) => ({ memory: memoryAt(question.upTo ?? 0) })) {
  const asked: SweepQuestion[] = [];
  const written: number[] = [];
  let commit: (last: number) => void = () => {};
  const reader = {
    sweep: (question: SweepQuestion) => (asked.push(question), sweep(question)),
    holds: () => true,
    close: () => {},
  } as unknown as LedgerReader;
  const stop = new SweepKeeper({
    ledger: {
      onCommit: (listener) => {
        commit = (last) => listener({ first: last, last, unheard: false });
        return () => {};
      },
    },
    openReader: () => reader,
    liveRuns: { all: () => ['run-a'] },
    sweeps: { write: ({ upTo }) => void written.push(upTo) },
    memory: memoryAt(0),
    log: createLogger('silent', []),
  }).start();
  return { asked, written, stop, commit: (last: number) => commit(last) };
}

it('counts on in small steps once nothing is written, and remembers what it counted', () => {
  const { asked, written, commit } = keeper();
  commit(WORTH_KEEPING - 1);
  vi.advanceTimersByTime(60_000);
  expect(asked).toEqual([]);
  commit(WORTH_KEEPING + 5);
  vi.advanceTimersByTime(60_000);
  expect(written).toEqual([WORTH_KEEPING + 5]);
  const steps = asked.map(({ upTo = 0, memory }) => upTo - (memory?.upTo ?? 0));
  expect(Math.max(...steps)).toBe(2048);
  expect(vi.getTimerCount()).toBe(0);
});

it('waits while entries are written, and after the end', () => {
  const { asked, commit, stop } = keeper();
  for (let last = WORTH_KEEPING; last < WORTH_KEEPING + 100; last += 1) {
    commit(last);
    vi.advanceTimersByTime(500);
  }
  expect(asked).toEqual([]);
  stop();
  vi.advanceTimersByTime(60_000);
  expect(asked).toEqual([]);
});

it('keeps up with a gateway that is never quiet', () => {
  const { asked, written, commit } = keeper();
  for (let last = 0; last <= 200_000; last += 100) {
    commit(last);
    vi.advanceTimersByTime(50);
  }
  expect(written.length).toBeGreaterThan(0);
  expect(200_000 - (asked.at(-1)?.upTo ?? 0)).toBeLessThanOrEqual(60_000);
});

it('leaves it to the next start where it fails, and tries again much later', () => {
  let failures = 1;
  const { asked, written, commit } = keeper((question) => {
    if (failures > 0) throw new Error(`the disk is gone, ${(failures -= 1)}`);
    return { memory: memoryAt(question.upTo ?? 0) };
  });
  commit(WORTH_KEEPING);
  vi.advanceTimersByTime(9 * 60_000);
  commit(WORTH_KEEPING * 2);
  expect([asked.length, written]).toEqual([1, []]);
  vi.advanceTimersByTime(3 * 60_000);
  expect(written.at(-1)).toBe(WORTH_KEEPING * 2);
});
