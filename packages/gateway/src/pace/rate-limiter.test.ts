import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type RateLimits, RateLimiter } from './rate-limiter.js';

const HOUR = 3_600_000;
const START = 1_900_000_000_000;
const LIMITS: RateLimits = { default: 3, global: 10, actions: { 'email.send': 2, 'service.api_call': 8 } };

function limiterAt(limits: RateLimits = LIMITS) {
  const clock = { now: START };
  return {
    clock,
    limiter: new RateLimiter(
      () => limits,
      () => clock.now,
    ),
  };
}

function takeTimes(limiter: RateLimiter, action: string, times: number): boolean[] {
  return Array.from({ length: times }, () => limiter.take(action).ok);
}

describe('the rate limiter', () => {
  it('Requests within limit pass', () => {
    const { limiter } = limiterAt();
    expect(takeTimes(limiter, 'email.send', 2)).toEqual([true, true]);
    expect(takeTimes(limiter, 'health.fetch', 3)).toEqual([true, true, true]);
  });

  it('Request exceeding per-action limit is rate-limited', () => {
    const { limiter, clock } = limiterAt();
    takeTimes(limiter, 'email.send', 2);
    clock.now += 1_000;
    expect(limiter.take('email.send')).toEqual({
      ok: false,
      retryAfterMs: HOUR - 1_000,
      scope: 'action',
    });
    expect(limiter.take('email.fetch')).toEqual({ ok: true });
  });

  it('gives an action that is not listed the default limit', () => {
    const { limiter } = limiterAt();
    expect(takeTimes(limiter, 'calendar.fetch', 4)).toEqual([true, true, true, false]);
    expect(takeTimes(limiter, 'constructor', 4)).toEqual([true, true, true, false]);
  });

  it('Request exceeding global limit is rate-limited', () => {
    const { limiter, clock } = limiterAt();
    takeTimes(limiter, 'service.api_call', 8);
    clock.now += 500;
    takeTimes(limiter, 'email.send', 2);
    expect(limiter.take('email.fetch')).toEqual({
      ok: false,
      retryAfterMs: HOUR - 500,
      scope: 'global',
    });
  });

  it('names the limit that opens last', () => {
    const { limiter, clock } = limiterAt();
    takeTimes(limiter, 'service.api_call', 8);
    clock.now += 500;
    takeTimes(limiter, 'email.send', 2);
    expect(limiter.take('email.send')).toEqual({ ok: false, retryAfterMs: HOUR, scope: 'action' });
  });

  it('Limits reset after window expires', () => {
    const { limiter, clock } = limiterAt();
    takeTimes(limiter, 'email.send', 2);
    clock.now += HOUR - 1;
    expect(limiter.take('email.send')).toEqual({ ok: false, retryAfterMs: 1, scope: 'action' });
    clock.now += 1;
    expect(takeTimes(limiter, 'email.send', 3)).toEqual([true, true, false]);
  });

  it('does not count what it refused', () => {
    const { limiter, clock } = limiterAt();
    takeTimes(limiter, 'email.send', 1_000);
    expect(takeTimes(limiter, 'service.api_call', 9)).toEqual([...Array<boolean>(8).fill(true), false]);
    clock.now += HOUR;
    expect(takeTimes(limiter, 'email.send', 2)).toEqual([true, true]);
  });

  it('does not open when the clock goes back', () => {
    const { limiter, clock } = limiterAt();
    takeTimes(limiter, 'email.send', 2);
    clock.now -= 10 * HOUR;
    expect(limiter.take('email.send')).toEqual({ ok: false, retryAfterMs: HOUR, scope: 'action' });
    takeTimes(limiter, 'email.fetch', 1);
    clock.now = START + HOUR;
    expect(limiter.take('email.send').ok).toBe(true);
  });

  it('counts what an earlier process let pass', () => {
    const { limiter, clock } = limiterAt();
    limiter.restore([
      { action: 'email.send', ts: START - 10 },
      { action: 'email.send', ts: START - HOUR + 100 },
      { action: 'email.fetch', ts: START - HOUR },
    ]);
    expect(limiter.take('email.send')).toEqual({ ok: false, retryAfterMs: 100, scope: 'action' });
    expect(takeTimes(limiter, 'email.fetch', 3)).toEqual([true, true, true]);
    clock.now += 100;
    expect(takeTimes(limiter, 'email.send', 2)).toEqual([true, false]);
  });

  it('counts a restored time in the future as now', () => {
    const { limiter, clock } = limiterAt();
    limiter.restore([
      { action: 'email.send', ts: START + 5 * HOUR },
      { action: 'email.send', ts: START + 6 * HOUR },
    ]);
    expect(limiter.take('email.send')).toEqual({ ok: false, retryAfterMs: HOUR, scope: 'action' });
    clock.now += HOUR;
    expect(limiter.take('email.send').ok).toBe(true);
  });

  it('stays closed as long as the newest of too many restored requests demand', () => {
    const { limiter, clock } = limiterAt();
    limiter.restore(
      Array.from({ length: 100 }, (_, index) => ({ action: 'email.send', ts: START - 1_000 + index })),
    );
    expect(limiter.take('email.send')).toEqual({
      ok: false,
      retryAfterMs: HOUR - 902,
      scope: 'action',
    });
    clock.now += HOUR - 902;
    expect(takeTimes(limiter, 'email.send', 2)).toEqual([true, false]);
  });

  it('never lets an hour hold more than a limit, and lets everything else pass', () => {
    const step = fc.record({
      action: fc.constantFrom('email.send', 'service.api_call', 'email.fetch', 'other'),
      // Steps near an hour, so that requests meet the edges of each other's windows.
      advance: fc.oneof(fc.nat(400_000), fc.constantFrom(0, 1, HOUR - 1, HOUR, HOUR + 1, -HOUR, -1)),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const { limiter, clock } = limiterAt();
        const passed: { action: string; ts: number }[] = [];
        let latest = Number.NEGATIVE_INFINITY;
        for (const { action, advance } of steps) {
          clock.now += advance;
          latest = Math.max(latest, clock.now);
          const own = passed.filter((one) => one.action === action && latest - one.ts < HOUR);
          const all = passed.filter((one) => latest - one.ts < HOUR);
          const limit = LIMITS.actions[action] ?? LIMITS.default;
          const verdict = limiter.take(action);
          expect(verdict.ok).toBe(own.length < limit && all.length < LIMITS.global);
          if (verdict.ok) passed.push({ action, ts: latest });
        }
        for (const { ts } of passed) {
          const within = passed.filter((one) => one.ts >= ts && one.ts < ts + HOUR);
          expect(within.length).toBeLessThanOrEqual(LIMITS.global);
          expect(within.filter((one) => one.action === 'email.send').length).toBeLessThanOrEqual(2);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('opens exactly when it said', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(600_000), { maxLength: 40 }), (advances) => {
        const { limiter, clock } = limiterAt();
        for (const advance of advances) {
          clock.now += advance;
          limiter.take('email.send');
        }
        takeTimes(limiter, 'email.send', 2);
        const verdict = limiter.take('email.send');
        clock.now += (verdict.ok ? 0 : verdict.retryAfterMs) - 1;
        const early = limiter.take('email.send').ok;
        clock.now += 1;
        expect([verdict.ok, early, limiter.take('email.send').ok]).toEqual([false, false, true]);
      }),
    );
  });

  it('restored from its own record, it decides as if it had never stopped', () => {
    const step = fc.tuple(fc.constantFrom('email.send', 'service.api_call', 'other'), fc.nat(900_000));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.array(step, { maxLength: 30 }), (before, after) => {
        const { limiter, clock } = limiterAt();
        const record: { action: string; ts: number }[] = [];
        for (const [action, advance] of before) {
          clock.now += advance;
          if (limiter.take(action).ok) record.push({ action, ts: clock.now });
        }
        const restarted = new RateLimiter(
          () => LIMITS,
          () => clock.now,
        );
        restarted.restore(record);
        for (const [action, advance] of after) {
          clock.now += advance;
          expect(restarted.take(action)).toEqual(limiter.take(action));
        }
      }),
    );
  });
});
