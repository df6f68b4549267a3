import type { Answering } from '../../approvals/answering.js';
import type { Questions } from '../../questions/questions.js';
import type { ActionOf } from '../../pipeline/steps.js';
import { operate } from './operate.js';

/** `approvals.deny` */
export function approvalsDeny(answering: Answering, questions: Questions): ActionOf<'approvals.deny'> {
  return operate(({ approval_id: id, say = '' }) =>
    questions.has(id) ? questions.deny(id, say) : answering.deny(id),
  );
}
