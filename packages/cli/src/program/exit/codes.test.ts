import { ERROR_CODES, isErrorCode, type ErrorCode } from '@subluminal/core-types';
import { describe, expect, it } from 'vitest';
import { EXIT, exitCodeOf } from './codes.js';

describe('exit codes', () => {
  it('have the documented numbers', () => {
    expect(EXIT).toEqual({
      done: 0,
      failed: 1,
      usage: 2,
      refused: 3,
      integrity: 4,
      unreachable: 5,
      unproven: 6,
    });
  });

  it.each<[ErrorCode, number]>([
    ['usage', 2],
    ['not_available', 2],
    ['invalid_domain', 2],
    ['policy_blocked', 3],
    ['not_allowed', 3],
    ['requires_approval', 3],
    ['rate_limited', 3],
    ['inside_run', 3],
    ['ledger_corrupt', 4],
    ['gateway_unreachable', 5],
    ['home_missing', 5],
    ['failed', 1],
    ['upstream_failed', 1],
    ['audit_unavailable', 1],
  ])('%s ends with %d', (code, exit) => {
    expect(exitCodeOf(code)).toBe(exit);
  });

  it('no error ends with 0 or with the verdict `unproven`', () => {
    for (const code of Object.keys(ERROR_CODES)) {
      expect(isErrorCode(code) && [1, 2, 3, 4, 5].includes(exitCodeOf(code))).toBe(true);
    }
  });
});
