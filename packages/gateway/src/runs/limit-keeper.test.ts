import { PolicyState, type Charge } from '@subluminal/policy';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Run } from './run.js';
import type { LimitsMark, LimitStore } from '../limits/limit-store.js';
import { LimitKeeper } from './limit-keeper.js';
import { RunLimits, type ChargedCall, type KeptLimits } from '../limits/run-limits.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const silent = {
  info: () => undefined,
  warn: vi.fn<() => void>(),
  error: () => undefined,
  debug: () => undefined,
};
const CHARGE: Charge = [
  { kind: 'budget', rule_id: 'r', scope: 'run', key: '', isWrite: false, cost: { units: 1, micros: 0 } },
];

function setUp() {
  const limits = new RunLimits();
  const openCalls = new Map<string, ChargedCall>();
  const run = { id: 'run-a', limits, openCalls } as unknown as Run;
  let listen: (notice: { first: number; last: number; unheard: boolean }) => void = () => undefined;
  const head = { seq: 1, leaf: 'leaf-1' };
  const written: [LimitsMark, ReadonlyMap<string, KeptLimits>][] = [];
  const store = {
    mark: () => undefined,
    write: vi.fn<LimitStore['write']>((mark, changed) => {
      written.push([mark, changed]);
    }),
  };
  const keeper = new LimitKeeper({
    ledger: {
      head: () => ({ ...head }),
      onCommit: (listener) => {
        listen = listener;
        return () => undefined;
      },
    },
    registry: { all: () => [run] },
    store,
    clock: () => 1000,
    log: silent,
  });
  const commit = (seq: number): void => {
    head.seq = seq;
    head.leaf = `leaf-${seq}`;
    listen({ first: seq, last: seq, unheard: false });
  };
  return { keeper, limits, openCalls, written, store, commit };
}

describe('what limits have counted', () => {
  it('is kept with the newest durable entry, and names what is not written yet', () => {
    const { keeper, limits, openCalls, written, commit } = setUp();
    const stop = keeper.start();
    limits.charge('written', CHARGE, 1);
    limits.recorded('written');
    limits.charge('writing', [...CHARGE], 2);
    const call = { callId: 'ended', charge: CHARGE, isSettled: false };
    openCalls.set('ended', call);
    limits.settle(call, { status: 'ERROR', latency_ms: 1 }, 3);
    commit(20_000);
    vi.advanceTimersByTime(1);
    expect(written).toHaveLength(1);
    const [mark, changed] = written[0] ?? [];
    expect(mark).toEqual({ upTo: 20_000, leaf: 'leaf-20000' });
    const kept = changed?.get('run-a');
    expect(kept).toMatchObject({ charged: ['writing'], settled: ['ended'], waivers: [] });
    expect(PolicyState.fromJSON(kept?.state).toJSON()).toEqual(limits.state.toJSON());
    stop();
  });

  it('is kept a while after a little has changed, and soon after much', () => {
    const { keeper, limits, store, commit } = setUp();
    const stop = keeper.start();
    limits.charge('one', CHARGE, 1);
    commit(2);
    vi.advanceTimersByTime(29_000);
    expect(store.write).not.toHaveBeenCalled();
    vi.advanceTimersByTime(2000);
    expect(store.write).toHaveBeenCalledTimes(1);
    limits.charge('two', [...CHARGE], 2);
    commit(20_000);
    vi.advanceTimersByTime(1500);
    expect(store.write).toHaveBeenCalledTimes(2);
    stop();
  });

  it('is written for the runs in which something has changed, and where nothing has the mark, now and then', () => {
    const { keeper, limits, written, commit } = setUp();
    const stop = keeper.start();
    commit(20_000);
    vi.advanceTimersByTime(1500);
    limits.charge('one', CHARGE, 1);
    commit(40_000);
    vi.advanceTimersByTime(1500);
    commit(60_000);
    vi.advanceTimersByTime(1500);
    commit(110_000);
    vi.advanceTimersByTime(1500);
    expect(written.map(([{ upTo }, changed]) => [upTo, changed.size])).toEqual([
      [40_000, 1],
      [110_000, 0],
    ]);
    stop();
  });

  it('waits while a run is in the middle of something', () => {
    const { keeper, limits, store, commit } = setUp();
    const stop = keeper.start();
    const release = limits.hold();
    limits.charge('one', CHARGE, 1);
    commit(20_000);
    vi.advanceTimersByTime(5000);
    expect(store.write).not.toHaveBeenCalled();
    release();
    release();
    vi.advanceTimersByTime(100);
    expect(store.write).toHaveBeenCalledTimes(1);
    expect(limits.isHeld).toBe(false);
    stop();
  });

  it('is kept when the gateway stops', () => {
    const { keeper, limits, written } = setUp();
    const stop = keeper.start();
    limits.charge('one', CHARGE, 1);
    stop();
    expect(written).toHaveLength(1);
  });

  it('is not kept where the disk is full, which nobody but the log hears of, and tried again', () => {
    const { keeper, limits, store, commit } = setUp();
    const stop = keeper.start();
    limits.charge('one', CHARGE, 1);
    store.write.mockImplementationOnce(() => {
      throw new Error('database or disk is full');
    });
    commit(20_000);
    vi.advanceTimersByTime(1500);
    expect(silent.warn).toHaveBeenCalled();
    commit(20_001);
    vi.advanceTimersByTime(61_000);
    expect(store.write).toHaveBeenCalledTimes(2);
    stop();
  });
});
