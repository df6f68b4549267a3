import { describe, expect, it } from 'vitest';
import { Decision, DecisionAction } from './decision.js';
import { RESERVED_ERROR_CODES } from './reserved.js';

const base = { rule_id: null, severity: 'info', reason_code: 'NO_MATCH_ALLOWED', summary: 'no rule matches' };

describe('Decision', () => {
  it('knows exactly five actions', () => {
    expect(DecisionAction.options).toEqual([
      'ALLOW',
      'BLOCK',
      'THROTTLE',
      'REJECT_WITH_HINT',
      'TERMINATE_RUN',
    ]);
  });

  it.each([undefined, null, 0, '', 'allow', 'Allow'])('is not valid with the action %j', (action) => {
    expect(Decision.safeParse({ ...base, action }).success).toBe(false);
  });

  it('needs backoff_ms to throttle, a hint to hint and a reason to terminate', () => {
    expect(Decision.safeParse({ ...base, action: 'THROTTLE' }).success).toBe(false);
    expect(Decision.safeParse({ ...base, action: 'THROTTLE', backoff_ms: 5 }).success).toBe(true);
    expect(Decision.safeParse({ ...base, action: 'REJECT_WITH_HINT' }).success).toBe(false);
    expect(Decision.safeParse({ ...base, action: 'TERMINATE_RUN' }).success).toBe(false);
  });
});

describe('the reserved error codes', () => {
  it('are the four numbers of the contract', () => {
    expect(RESERVED_ERROR_CODES).toEqual({
      BLOCK: -32081,
      THROTTLE: -32082,
      REJECT_WITH_HINT: -32083,
      TERMINATE_RUN: -32084,
    });
  });
});
