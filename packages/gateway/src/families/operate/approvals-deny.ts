import type { Answering } from '../../approvals/answering.js';
import type { ActionOf } from '../../pipeline/steps.js';
import { operate } from './operate.js';

/** `approvals.deny` */
export function approvalsDeny(answering: Answering): ActionOf<'approvals.deny'> {
  return operate(({ approval_id: id }) => answering.deny(id));
}
