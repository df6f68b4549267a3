import { describe, expect, it } from 'vitest';
import { NO_LEAF } from '../entry/format.js';
import { RunTip, RunTips } from './run-tips.js';

const FRESH = new RunTip(0, NO_LEAF);

describe('the chains of runs', () => {
  it('begin with nothing before them, are one for each run, and are counted without the system’s', () => {
    const tips = new RunTips();
    expect([tips.tip(0), tips.tip(3)]).toEqual([FRESH, FRESH]);
    expect(tips.tip(3)).toBe(tips.tip(3));
    expect(tips.count).toBe(1);
    expect([...tips.open.keys()]).toEqual([0, 3]);
  });

  it.each([1, 4095, 4096, 4097, 9000])('end for good: the run of the number %d', (run) => {
    const tips = new RunTips();
    for (const ended of [100, run]) {
      tips.tip(ended);
      tips.end(ended);
    }
    expect([tips.tip(100), tips.tip(run), tips.tip(run + 1)]).toEqual([null, null, FRESH]);
    expect([...tips.open.keys()]).toEqual([run + 1]);
    tips.end(20_000);
    expect([tips.tip(100), tips.tip(run), tips.tip(20_000)]).toEqual([null, null, null]);
  });

  it('go on from no predecessor where what is carried is no leaf', () => {
    for (const rp of ['', 'ab'.repeat(31), 'ab'.repeat(33)])
      expect(new RunTip(1, rp).rp).toBe(' '.repeat(64));
  });

  it('go on in another file where they were left, and none that had ended comes back there', () => {
    const tips = new RunTips();
    tips.tip(5);
    tips.end(5);
    const carried = new RunTip(7, 'ab'.repeat(32));
    tips.enter(new Map([[1, carried]]), (run) => run === 2 || run === 0);
    expect([tips.tip(1), tips.tip(2), tips.tip(0)]).toEqual([carried, null, FRESH]);
    // The numbers are those of that file.
    expect(tips.tip(5)).toEqual(FRESH);
    expect(tips.count).toBe(2);
    tips.countUnseen(3);
    expect(tips.count).toBe(5);
  });
});
