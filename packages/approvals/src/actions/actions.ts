import type { ActionTable, Clock, Recorder } from '@subluminal/gateway';
import type { Questions } from '../questions/questions.js';
import { Answering } from '../requests/answering.js';
import type { Approvals } from '../requests/approvals.js';
import { approvalsApprove } from './approvals-approve.js';
import { approvalsDeny } from './approvals-deny.js';
import { approvalsList } from './approvals-list.js';

export interface ApprovalsParts {
  readonly approvals: Approvals;
  readonly questions: Questions;
  readonly recorder: Recorder;
  readonly clock: Clock;
}

/** The actions of this wing. */
export type ApprovalsActions = Pick<ActionTable, 'approvals.approve' | 'approvals.deny' | 'approvals.list'>;

export function approvalsActions(parts: ApprovalsParts): ApprovalsActions {
  const { approvals, questions } = parts;
  const answering = new Answering(parts);
  return {
    'approvals.approve': approvalsApprove(answering, questions),
    'approvals.deny': approvalsDeny(answering, questions),
    'approvals.list': approvalsList(approvals, questions),
  };
}
