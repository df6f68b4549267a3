import type { EntryInput } from '@subluminal/ledger';
import type { Question } from '../../approvals/question.js';

/** `approval_requested`: a person was asked about a call. It stands with the entries of that call. */
export function questionEntry(question: Question, callId: string, ts: number): EntryInput {
  const { id, runId, ruleId, server, tool, subject, why, expiresAt } = question;
  const about = { expires_at: new Date(expiresAt).toISOString(), id, rule_id: ruleId, subject, why };
  return {
    type: 'approval_requested',
    ts,
    runId,
    tool: [server, tool],
    data: { call: { call_id: callId }, question: about },
  };
}
