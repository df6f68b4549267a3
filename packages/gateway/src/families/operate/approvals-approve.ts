import type { Answering } from '../../approvals/answering.js';
import type { ActionOf } from '../../pipeline/steps.js';
import { operate } from './operate.js';

/** `approvals.approve` */
export function approvalsApprove(answering: Answering): ActionOf<'approvals.approve'> {
  return operate(({ approval_id: id }) => answering.approve(id));
}
