import type { JsonObject } from '@subluminal/core-types';
import type { Question } from '@subluminal/gateway';
import type { EntryInput } from '@subluminal/ledger';

/** The entry that ends a question: a yes, a no, or its closing. */
export function answerEntry(
  type: 'approval_denied' | 'approval_granted',
  { id, runId, ruleId, server, tool, subject }: Question,
  ts: number,
  how: JsonObject,
): EntryInput {
  return {
    type,
    ts,
    runId,
    tool: [server, tool],
    data: { question: { ...how, id, rule_id: ruleId, run_id: runId, subject } },
  };
}
