import { stat } from 'node:fs';
import { expect, it } from 'vitest';
import { nextTurn } from './next-turn.js';

it('the next turn begins after the immediates of the one in which a socket or a file was read', async () => {
  const order: string[] = [];
  await new Promise<void>((resolve) => {
    stat('/', () => {
      void nextTurn().then(() => {
        order.push('next turn');
        resolve();
      });
      setImmediate(() => order.push('this turn'));
      setTimeout(() => order.push('a timer that is due'), 0);
      const until = performance.now() + 5;
      while (performance.now() < until);
    });
  });
  expect(order).toEqual(['this turn', 'a timer that is due', 'next turn']);
});
