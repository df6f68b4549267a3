import { expect, it } from 'vitest';
import { EnrolmentLimit } from './enrolments.js';

it('slides: no minute, wherever it begins, holds more than the limit', () => {
  let now = 100_000;
  const limit = new EnrolmentLimit(2, () => now);
  expect(limit.take()).toEqual({ ok: true });
  now += 59_000;
  expect(limit.take()).toEqual({ ok: true });
  expect(limit.take()).toEqual({ ok: false, retryAfterMs: 1000 });
  now += 1000;
  expect(limit.take()).toEqual({ ok: true });
  expect(limit.take()).toEqual({ ok: false, retryAfterMs: 59_000 - 1000 + 1000 });
});

it('counts what an earlier process let pass', () => {
  const limit = new EnrolmentLimit(2, () => 100_000);
  limit.restore([99_000, 10_000, 98_000]);
  expect(limit.take()).toEqual({ ok: false, retryAfterMs: 58_000 });
});
