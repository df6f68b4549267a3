import { describe, expect, it } from 'vitest';
import { ReadPace } from './read-pace.js';

describe('what a session reads', () => {
  it('is as much as a person asks for, and then half of the time of the reader', () => {
    let now = 1_000_000;
    const [pace, one, other] = [new ReadPace(() => now), {}, {}];
    const reads = (session: object, ms: number): number => {
      for (let count = 0; ; count += 1) {
        try {
          pace.assertRoom(session);
        } catch (error) {
          expect(error).toMatchObject({ status: 429, code: 'too_many', help: 'ask again in a while' });
          return count;
        }
        pace.charge(session, ms);
      }
    };
    expect(reads(one, 400)).toBe(150);
    expect(reads(one, 400)).toBe(0);
    expect(reads(other, 400)).toBe(150);
    now += 8000;
    expect(reads(one, 400)).toBe(10);
    now += 3_600_000;
    expect(reads(one, 400)).toBe(150);
  });

  it('costs something, however soon it is answered', () => {
    const [pace, one] = [new ReadPace(() => 1), {}];
    let count = 0;
    expect(() => {
      for (; count < 20_000; count += 1) {
        pace.assertRoom(one);
        pace.charge(one, 0);
      }
    }).toThrow('more than it may');
    expect(count).toBe(12_000);
  });

  it('that cost more than was left is paid off first', () => {
    let now = 1;
    const [pace, one] = [new ReadPace(() => now), {}];
    pace.charge(one, 70_000);
    now += 19_000;
    expect(() => pace.assertRoom(one)).toThrow('more than it may');
    now += 2000;
    expect(() => pace.assertRoom(one)).not.toThrow();
  });
});
