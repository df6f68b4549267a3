import { describe, expect, it } from 'vitest';
import { Run } from '@subluminal/gateway';
import { SpoolPace } from './pace.js';

const run = (id: string): Run =>
  new Run({
    id,
    identity: { agent_id: 'agent', client: 'custom', env: 'dev' },
    attested: true,
    holder: { pid: 1, start: '1' },
    startedMs: 0,
  });

describe('the pace of spools', () => {
  it('takes as many at once as a run may have shims, then two a second, and of each run its own', () => {
    const pace = new SpoolPace();
    const [one, other] = [run('run-1'), run('run-2')];
    const taken = (nowMs: number): number =>
      Array.from({ length: 200 }, () => pace.take(one, nowMs)).filter(Boolean).length;
    expect(taken(1000)).toBe(128);
    expect(taken(4000)).toBe(6);
    expect(taken(0)).toBe(0);
    expect(pace.take(other, 4000)).toBe(true);
    expect(taken(1_000_000)).toBe(128);
  });

  it('takes few of those that are not believed', () => {
    const pace = new SpoolPace();
    const one = run('run-1');
    const taken = (nowMs: number): number => {
      for (let count = 0; ; count += 1) {
        if (!pace.take(one, nowMs)) return count;
        pace.refused(one);
      }
    };
    expect(taken(1000)).toBe(4);
    expect(taken(2000)).toBe(1);
    expect(taken(16_000)).toBe(0);
    expect(taken(18_000)).toBe(1);
  });
});
