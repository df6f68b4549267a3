import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { EnrolmentLimit } from './enrolments.js';

it('slides: no minute, wherever it begins, holds more than the limit', () => {
  let now = 100_000;
  const limit = new EnrolmentLimit(
    () => 2,
    () => now,
  );
  expect(limit.take()).toEqual({ ok: true });
  now += 59_000;
  expect(limit.take()).toEqual({ ok: true });
  expect(limit.take()).toEqual({ ok: false, retryAfterMs: 1000 });
  now += 1000;
  expect(limit.take()).toEqual({ ok: true });
  expect(limit.take()).toEqual({ ok: false, retryAfterMs: 59_000 - 1000 + 1000 });
});

it('does not open when the clock goes back', () => {
  let now = 100_000;
  const limit = new EnrolmentLimit(
    () => 1,
    () => now,
  );
  expect(limit.take()).toEqual({ ok: true });
  now -= 30_000;
  expect(limit.take()).toEqual({ ok: false, retryAfterMs: 60_000 });
  now += 30_000 + 60_000;
  expect(limit.take()).toEqual({ ok: true });
});

it('never lets a minute hold more than the limit, however far the clock is set back and however often the process ends', () => {
  const step = fc.record({
    advance: fc.oneof(fc.nat(40_000), fc.constantFrom(0, 1, 59_999, 60_000, 60_001, -60_000, -1)),
    restarts: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let now = 1_000_000;
      let real = 0;
      let limit = new EnrolmentLimit(
        () => 3,
        () => now,
      );
      const passed: { at: number; ts: number }[] = [];
      for (const { advance, restarts } of steps) {
        now += advance;
        real += Math.max(0, advance);
        if (restarts) {
          limit = new EnrolmentLimit(
            () => 3,
            () => now,
          );
          limit.restore(passed.map(({ ts }) => ts));
        }
        if (limit.take().ok) passed.push({ at: real, ts: now });
        const within = passed.filter(({ at }) => at > real - 60_000);
        expect(within.length).toBeLessThanOrEqual(3);
      }
    }),
  );
});

it('counts what an earlier process let pass', () => {
  const limit = new EnrolmentLimit(
    () => 2,
    () => 100_000,
  );
  limit.restore([99_000, 10_000, 98_000]);
  expect(limit.take()).toEqual({ ok: false, retryAfterMs: 58_000 });
});
