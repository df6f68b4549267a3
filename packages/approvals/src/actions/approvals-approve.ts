import { type ActionOf, operate } from '@subluminal/gateway';
import type { Questions } from '../questions/questions.js';
import type { Answering } from '../requests/answering.js';

/** `approvals.approve` */
export function approvalsApprove(answering: Answering, questions: Questions): ActionOf<'approvals.approve'> {
  return operate(({ approval_id: id, for: reach = 'once' }) =>
    questions.has(id) ? questions.approve(id, reach) : answering.approve(id),
  );
}
