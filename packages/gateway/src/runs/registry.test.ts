import { expect, test } from 'vitest';
import { RunRegistry } from './registry.js';

test('2048 runs live at once, and those that nobody attests leave 256 places to the operator', () => {
  const registry = new RunRegistry();
  const taken = (attested: boolean): number => {
    for (let count = 0; ; count += 1) {
      try {
        registry.reserve(attested);
      } catch {
        return count;
      }
    }
  };
  expect([taken(false), taken(true)]).toEqual([1792, 256]);
});

test('a place that was kept and given up, once or twice, is one for another run', () => {
  const registry = new RunRegistry({ max: 2, operatorReserve: 0 });
  const giveUp = registry.reserve(true);
  registry.reserve(true);
  expect(() => registry.reserve(true)).toThrow('no more are taken');
  giveUp();
  giveUp();
  registry.reserve(true);
  expect(() => registry.reserve(true)).toThrow('no more are taken');
});
