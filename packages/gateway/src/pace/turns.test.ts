import { describe, expect, it } from 'vitest';
import { Turns } from './turns.js';

const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

function clock(): { now: number; readonly turns: Turns } {
  const state = { now: 1000 };
  return Object.assign(state, { turns: new Turns(() => state.now) });
}

describe('turns', () => {
  it('have time for their first frame, and then for 20 ms', async () => {
    const world = clock();
    expect(world.turns.hasTime()).toBe(true);
    world.now += 19.9;
    expect(world.turns.hasTime()).toBe(true);
    world.now += 0.1;
    expect(world.turns.hasTime()).toBe(false);
    await nextTurn();
    expect(world.turns.hasTime()).toBe(true);
  });

  it('go round: who waits longest goes on first, and each that spends its turn waits behind the others', async () => {
    const world = clock();
    const order: string[] = [];
    const worker = (name: string, frames: number) => {
      let left = frames;
      const work = (): void => {
        while (left > 0 && world.turns.hasTime()) {
          left -= 1;
          order.push(name);
          world.now += 20;
        }
        if (left > 0) world.turns.wait(work);
      };
      work();
    };
    worker('a', 3);
    worker('b', 2);
    worker('c', 1);
    expect(order).toEqual(['a']);
    for (let turn = 0; turn < 5; turn += 1) await nextTurn();
    expect(order).toEqual(['a', 'a', 'b', 'c', 'a', 'b']);
  });

  it('let work of any length go on beside other work, a share of each turn', async () => {
    const world = clock();
    const order: string[] = [];
    const worker = (name: string, steps: number): Promise<void> => {
      let left = steps;
      return world.turns.work(() => {
        if (left === 0) return false;
        left -= 1;
        order.push(name);
        world.now += 10;
        return true;
      });
    };
    const all = [worker('a', 6), worker('b', 3), worker('c', 0)];
    expect(order.join('')).toBe('aa');
    await Promise.all(all);
    expect(order.join('')).toBe('aaaabbaab');
  });

  it('reject with what a step throws', async () => {
    const { turns } = clock();
    const failing = turns.work(() => {
      throw new Error('no step');
    });
    await expect(failing).rejects.toThrow('no step');
  });

  it('forget who is gone', async () => {
    const { turns } = clock();
    let resumed = 0;
    const resume = (): void => {
      resumed += 1;
    };
    turns.wait(resume);
    turns.forget(resume);
    await nextTurn();
    expect(resumed).toBe(0);
  });
});
