import { expect, test } from 'vitest';
import { AfterTurn } from './after-turn.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('what is put off runs in its order, behind what was to be written in the turn', async () => {
  const done: string[] = [];
  const later = new AfterTurn();
  setImmediate(() => done.push('written'));
  later.add(() => done.push('a'));
  later.add(() => done.push('b'));
  expect(done).toEqual([]);
  await turn();
  expect(done).toEqual(['written', 'a', 'b']);
});

test('what is put off can be asked for at once, and then runs once', async () => {
  const done: string[] = [];
  const later = new AfterTurn();
  later.add(() => done.push('a'));
  later.run();
  later.add(() => done.push('b'));
  await turn();
  expect(done).toEqual(['a', 'b']);
});
