import { expect, test } from 'vitest';
import { retryableOf } from './retryable.js';

test.each([
  ['upstream_error', 429, true],
  ['upstream_error', 503, true],
  ['upstream_error', -32601, false],
  ['upstream_error', -32602, false],
  ['upstream_error', -32000, undefined],
  ['upstream_error', undefined, undefined],
  ['timeout', undefined, false],
  ['transport', undefined, false],
  ['unknown', 'interrupted', false],
  ['policy_block', 'DENIED', undefined],
] as const)('an error of class %s with code %s: %s', (kind, code, retryable) => {
  expect(retryableOf({ class: kind, ...(code === undefined ? {} : { code }) })).toBe(retryable);
});
