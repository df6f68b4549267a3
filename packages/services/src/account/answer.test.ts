import { expect, it } from 'vitest';
import type { HttpResponse } from '@subluminal/egress';
import { jsonAnswer } from './answer.js';
import { hiddenBody } from './hidden-body.js';

const answerOf = (text: string): HttpResponse => ({
  status: 200,
  headers: new Map(),
  body: Buffer.from(text),
});

it('an answer of so many parts that reading it would take a whole turn is refused', () => {
  expect(jsonAnswer('o', answerOf('{"a":[{},{}]}'))).toEqual({ a: [{}, {}] });
  expect(() => jsonAnswer('o', answerOf(`{"a":[${'[],'.repeat(500_000)}[]]}`))).toThrow(/too many parts/);
  expect(() => jsonAnswer('o', answerOf('{"a":'))).toThrow(/not JSON/);
});

it('an answer without the credential is read in another turn than the one that looked through it', async () => {
  let turns = 0;
  setImmediate(() => (turns += 1));
  const shown = await hiddenBody(answerOf('it is hunter22'), [{ name: 'key', value: 'hunter22' }]);
  expect(Buffer.from(shown?.body ?? []).toString()).toBe('it is [REDACTED:key]');
  expect(turns).toBe(1);
});
