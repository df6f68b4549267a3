import type { Refused } from '@subluminal/agent';
import { expect, test } from 'vitest';
import { TerminalNotices } from './terminal-notices.js';

const asked = (summary: string): Pick<Refused, 'details'> => ({
  details: {
    action: 'REJECT_WITH_HINT',
    rule_id: 'r',
    severity: 'warn',
    reason_code: 'APPROVAL_REQUIRED',
    summary,
    hint: {
      hint_text: 'wait',
      suggested_args: null,
      retry_advice: null,
      hint_kind: 'SAFETY',
      approval: { id: 'q-1', expires_at: '2026-01-01T00:00:00.000Z' },
    },
  },
});

test('a long rule is cut, and no half of a character is left, which a client might not read', () => {
  const notices = new TerminalNotices(
    () => true,
    () => 0,
  );
  const shown = notices.of(asked(`${'a'.repeat(159)}\u{1f600} and more`));
  expect(shown).toBe(`sub asks: ${'a'.repeat(159)} `);
});
