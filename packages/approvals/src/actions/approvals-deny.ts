import { type ActionOf, operate } from '@subluminal/gateway';
import type { Questions } from '../questions/questions.js';
import type { Answering } from '../requests/answering.js';

/** `approvals.deny` */
export function approvalsDeny(answering: Answering, questions: Questions): ActionOf<'approvals.deny'> {
  return operate(({ approval_id: id, say = '' }) =>
    questions.has(id) ? questions.deny(id, say) : answering.deny(id),
  );
}
