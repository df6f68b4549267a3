import { expect, it } from 'vitest';
import type { HttpResponse } from '@subluminal/egress';
import { jsonAnswer } from './answer.js';
import { hiddenBody } from './hidden-body.js';

const answerOf = (text: string): HttpResponse => ({
  status: 200,
  headers: new Map(),
  body: Buffer.from(text),
});

it('an answer of so many parts that reading it would take a whole turn is refused', async () => {
  expect(await jsonAnswer('o', answerOf('{"a":[{},{}]}'))).toEqual({ a: [{}, {}] });
  const many = answerOf(`{"a":[${'[],'.repeat(500_000)}[]]}`);
  await expect(jsonAnswer('o', many)).rejects.toThrow(/too many parts/);
  await expect(jsonAnswer('o', answerOf('{"a":'))).rejects.toThrow(/not JSON/);
});

it('an answer with spaces is read in several turns', async () => {
  let turns = 0;
  let isOver = false;
  const turn = (): void => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const read = await jsonAnswer('o', answerOf(`{ "a": [${'0, '.repeat(100_000)}0]}`));
  isOver = true;
  expect(read['a']).toHaveLength(100_001);
  expect(turns).toBeGreaterThan(5);
});

it('an answer without the credential is read in another turn than the one that looked through it', async () => {
  let turns = 0;
  setImmediate(() => (turns += 1));
  const shown = await hiddenBody(answerOf('it is hunter22'), [{ name: 'key', value: 'hunter22' }]);
  expect(Buffer.from(shown?.body ?? []).toString()).toBe('it is [REDACTED:key]');
  expect(turns).toBe(1);
});
