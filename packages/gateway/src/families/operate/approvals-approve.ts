import type { Answering } from '../../approvals/answering.js';
import type { Questions } from '../../questions/questions.js';
import type { ActionOf } from '../../pipeline/steps.js';
import { operate } from './operate.js';

/** `approvals.approve` */
export function approvalsApprove(answering: Answering, questions: Questions): ActionOf<'approvals.approve'> {
  return operate(({ approval_id: id, for: reach = 'once' }) =>
    questions.has(id) ? questions.approve(id, reach) : answering.approve(id),
  );
}
