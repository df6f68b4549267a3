import { describe, expect, it } from 'vitest';
import { WorldMeter } from './meter.js';

describe('the meter of a world', () => {
  it('carries no byte over the total, and counts none that it refuses', () => {
    const meter = new WorldMeter(
      () => ({ bytesPerSecond: undefined, totalBytes: 100 }),
      () => 0,
      0,
    );
    expect(meter.spend(60)).toBe(0);
    expect(() => meter.spend(41)).toThrow(/egress_budget/);
    expect(meter.isSpent).toBe(false);
    expect(meter.spend(40)).toBe(0);
    expect(meter.isSpent).toBe(true);
  });

  it('lets a second’s worth pass at once, and then says how long to wait', () => {
    let now = 0;
    const meter = new WorldMeter(
      () => ({ bytesPerSecond: 1000, totalBytes: undefined }),
      () => now,
      0,
    );
    expect(meter.spend(1000)).toBe(0);
    expect(meter.spend(500)).toBe(500);
    now = 1500;
    expect(meter.spend(0)).toBe(0);
  });

  it('goes on counting where the gateway before it stopped', () => {
    const meter = new WorldMeter(
      () => ({ bytesPerSecond: undefined, totalBytes: 100 }),
      () => 0,
      90,
    );
    expect(() => meter.spend(11)).toThrow(/egress_budget/);
    meter.spend(10);
    expect([meter.isSpent, meter.spent]).toEqual([true, 100]);
  });

  it('never waits for longer than a timer counts', () => {
    const meter = new WorldMeter(
      () => ({ bytesPerSecond: 1, totalBytes: undefined }),
      () => 0,
      0,
    );
    expect(meter.spend(2 ** 40)).toBe(2_147_483_647);
  });

  it('holds to another budget from the next byte on, without forgetting what was spent', () => {
    let totalBytes: number | undefined = 100;
    const meter = new WorldMeter(
      () => ({ bytesPerSecond: undefined, totalBytes }),
      () => 0,
      0,
    );
    meter.spend(90);
    totalBytes = 80;
    expect(meter.isSpent).toBe(true);
    expect(() => meter.spend(1)).toThrow(/egress_budget/);
    totalBytes = undefined;
    expect(meter.spend(1)).toBe(0);
  });
});
