import type { Approvals } from '../../approvals/approvals.js';
import type { ActionOf } from '../../pipeline/steps.js';
import { read } from './read.js';

/** `approvals.list` */
export function approvalsList(approvals: Approvals): ActionOf<'approvals.list'> {
  return read(() => ({
    approvals: approvals.list().map((request) => ({ ...request, flags: [...request.flags] })),
  }));
}
