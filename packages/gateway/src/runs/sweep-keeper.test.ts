import type { LedgerReader, SweepMemory, SweepQuestion } from '@subluminal/ledger';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createLogger } from '../logging/logger.js';
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

it('gives up where it fails: the next start counts', () => {
  const { asked, written, commit } = keeper(() => {
    throw new Error('the disk is gone');
  });
  commit(WORTH_KEEPING);
  vi.advanceTimersByTime(60_000);
  commit(WORTH_KEEPING * 2);
  vi.advanceTimersByTime(60_000);
  expect([asked.length, written]).toEqual([1, []]);
});
