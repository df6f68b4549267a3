import type { JsonObject } from '@subluminal/core-types';
import { describe, expect, it } from 'vitest';
import { decisionDataOf } from './decision-shape.js';

const HINT = { hint_text: 'ask', suggested_args: null, retry_advice: null, hint_kind: 'SAFETY' };

function answer(hint: JsonObject): JsonObject {
  return {
    args_hash: 'a',
    policy: { policy_id: 'p', policy_version: '1', policy_hash: 'h' },
    decision: {
      action: 'REJECT_WITH_HINT',
      rule_id: 'pushes',
      severity: 'warn',
      reason_code: 'APPROVAL_REQUIRED',
      summary: 'pushes are asked about',
      hint,
    },
  };
}

describe('the hint of a decision', () => {
  it('says which question a person was asked, and until when', () => {
    const approval = { id: 'question-1', expires_at: '2026-01-31T12:00:00.000Z' };
    expect(decisionDataOf(answer({ ...HINT, approval }))?.decision.hint).toEqual({ ...HINT, approval });
    expect(decisionDataOf(answer(HINT))?.decision.hint).toEqual(HINT);
  });

  it.each([null, 'question-1', { id: 'question-1' }, { id: 1, expires_at: '' }])(
    'with %j for a question is no decision',
    (approval) => {
      expect(decisionDataOf(answer({ ...HINT, approval }))).toBeUndefined();
    },
  );
});
