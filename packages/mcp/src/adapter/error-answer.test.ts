import type { Decision } from '@subluminal/core-types';
import { describe, expect, it } from 'vitest';
import type { Refused, ToolCall } from '@subluminal/agent';
import { refusalAnswer } from './error-answer.js';

const CALL: ToolCall = {
  server_name: 'files',
  tool_name: 'write_file',
  args: {},
  bytes_in: 1,
  transport: 'mcp_stdio',
  call_context: undefined,
};
const DETAILS = {
  rule_id: 'drafts',
  severity: 'warn',
  reason_code: 'DRAFTS_ONLY',
  summary: 'only drafts are written',
} as const;
const HINT = {
  hint_text: 'write into drafts/',
  hint_kind: 'ARG_FIX',
  retry_advice: null,
  suggested_args: { path: 'drafts/a' },
} as const;

function messageOf(details: Decision & { readonly action: Refused['decision'] }): string {
  const refused: Refused = {
    decision: details.action,
    call_id: 'call-0001',
    run_id: 'run-1',
    details,
    policy: { policy_id: 'p', policy_version: '1', policy_hash: 'h' },
    args_hash: 'a',
    audit_ref: undefined,
    ends_session: false,
  };
  const answer: { readonly error: { readonly message: string } } = JSON.parse(
    refusalAnswer({ text: '1', key: '1' }, CALL, refused).toString('utf8'),
  );
  return answer.error.message;
}

describe('the message of a refusal', () => {
  it('says why', () => {
    expect(messageOf({ ...DETAILS, action: 'BLOCK' })).toBe('blocked by policy: only drafts are written');
  });

  it('says how to go on, for clients that show their model nothing but the message', () => {
    expect(messageOf({ ...DETAILS, action: 'REJECT_WITH_HINT', hint: HINT })).toBe(
      'rejected with a hint: only drafts are written; hint: write into drafts/',
    );
    const hint = { ...HINT, retry_advice: 'once it is reviewed' };
    expect(messageOf({ ...DETAILS, action: 'REJECT_WITH_HINT', hint })).toBe(
      'rejected with a hint: only drafts are written; hint: write into drafts/; retry: once it is reviewed',
    );
  });

  it('says plainly that a person was asked, and until when', () => {
    const hint_text = 'a person was asked and has until 2026-01-31 12:00 UTC to answer, else it is a no';
    const approval = { id: 'question-1', expires_at: '2026-01-31T12:00:00.000Z' };
    const hint = { ...HINT, hint_text, approval };
    expect(messageOf({ ...DETAILS, action: 'REJECT_WITH_HINT', hint })).toBe(
      `not made yet: only drafts are written; ${hint_text}`,
    );
  });

  it('says how long to wait', () => {
    expect(messageOf({ ...DETAILS, action: 'THROTTLE', backoff_ms: 500 })).toBe(
      'throttled by policy: only drafts are written; retry: wait 500 ms, then ask again',
    );
    const retry_advice = 'try again in 3 s';
    expect(messageOf({ ...DETAILS, action: 'THROTTLE', backoff_ms: 3000, retry_advice })).toBe(
      'throttled by policy: only drafts are written; retry: try again in 3 s',
    );
  });
});
