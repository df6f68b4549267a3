import { describe, expect, it } from 'vitest';
import { startTicking } from './ticking.js';

describe('work that is done again and again', () => {
  it('goes on after a turn that failed, and says so', async () => {
    const failures: unknown[] = [];
    let turns = 0;
    const stop = startTicking(
      1,
      (error) => failures.push(error),
      () => {
        turns += 1;
        if (turns === 1) throw new Error('EMFILE: too many open files');
      },
    );
    await expect.poll(() => turns).toBeGreaterThan(2);
    stop();
    expect(failures).toEqual([new Error('EMFILE: too many open files')]);
    const before = turns;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(turns).toBe(before);
  });
});
