import type { JsonObject } from '@subluminal/core-types';
import { type ActionOf, type Question, read } from '@subluminal/gateway';
import type { Questions } from '../questions/questions.js';
import type { Approvals } from '../requests/approvals.js';

/** `approvals.list` */
export function approvalsList(approvals: Approvals, questions: Questions): ActionOf<'approvals.list'> {
  return read(() => ({
    approvals: approvals.list().map((request) => ({ ...request, flags: [...request.flags] })),
    questions: questions.list().map((one) => ({ ...questionData(one), raises: questions.isRaise(one) })),
  }));
}

/** A question as answers show it. */
function questionData(question: Question): JsonObject {
  return {
    id: question.id,
    call_id: question.callId,
    run_id: question.runId,
    rule_id: question.ruleId,
    server_name: question.server,
    tool_name: question.tool,
    object: question.object,
    whole: question.isWhole,
    why: question.why,
    state: question.state,
    said: question.said,
    created_at: question.createdAt,
    expires_at: question.expiresAt,
  };
}
