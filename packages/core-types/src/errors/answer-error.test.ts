import type { ActionResponse } from '../schema/request.js';
import { expect, it } from 'vitest';
import { errorOf } from './answer-error.js';

const answer = (status: ActionResponse['status'], error?: ActionResponse['error']): ActionResponse => ({
  requestId: 'request-1',
  timestamp: '2026-01-01T00:00:00.000Z',
  status,
  auditRef: '',
  signature: '',
  ...(error === undefined ? {} : { error }),
});

it('keeps code, message, help and details', () => {
  const error = { code: 'not_allowed', message: 'no', help: 'ask', details: { host: 'a' } };
  expect(errorOf(answer('error', error))).toMatchObject(error);
});

it.each([
  ['error', { code: 'from_the_future', message: 'm' }, 'failed'],
  ['rate_limited', { code: 'from_the_future', message: 'm' }, 'rate_limited'],
  ['requires_approval', undefined, 'requires_approval'],
] as const)('an answer `%s` with %j is `%s`', (status, error, code) => {
  expect(errorOf(answer(status, error)).code).toBe(code);
});

it('says what was answered where the gateway gave no words', () => {
  expect(errorOf(answer('error')).message).toBe('the gateway answered `error`');
});
