import { expect, it } from 'vitest';
import { readMeta } from './meta.js';

it('takes keys and values, which may be empty or hold an equals sign', () => {
  expect(readMeta([])).toBeUndefined();
  expect(readMeta(['issue_id=42', 'task=fix', 'url=a=b', 'none='])).toEqual({
    issue_id: '42',
    task: 'fix',
    url: 'a=b',
    none: '',
  });
});

it.each([
  [['issue'], /has no key/],
  [['=x'], /has no key/],
  [['a b=x'], /has no key/],
  [['__proto__=1', '__proto__=2'], /twice/],
  [[`a=${'x'.repeat(257)}`], /more than 256 characters/],
  [Array.from({ length: 33 }, (_, at) => `k${at}=v`), /more than 32 times/],
])('refuses %j', (pairs, why) => {
  expect(() => readMeta(pairs)).toThrow(
    expect.objectContaining({ code: 'usage', message: expect.stringMatching(why) }),
  );
});
