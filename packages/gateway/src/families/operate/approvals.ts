import { SublError } from '@subluminal/core-types';
import type { EntryInput } from '@subluminal/ledger';
import type { Clock } from '../../base/clock.js';
import type { ActionHandler } from '../../pipeline/handlers.js';
import type { PipelineCall } from '../../pipeline/call.js';
import { payloadOf } from '../../pipeline/payload.js';
import { success, type Outcome } from '../../pipeline/reply.js';
import type { Recorder } from '../../recording/recorder.js';
import type { ApprovalRequest, Approvals } from '../../approvals/approvals.js';

/** What the operator's answers need. */
export interface ApprovalHandlerParts {
  readonly approvals: Approvals;
  readonly recorder: Recorder;
  readonly clock: Clock;
}

/**
 * The operator's answers. A grant is a ledger entry first and usable second: what uses it refers to that entry, and no
 * two entries can.
 */
export function approvalHandlers(
  parts: ApprovalHandlerParts,
): Readonly<Record<'approvals.list' | 'approvals.approve' | 'approvals.deny', ActionHandler>> {
  const { approvals } = parts;
  // Between the look at a request and its mark lies a commit: a second answer must not be recorded meanwhile.
  const answering = new Set<string>();
  const answer = async (
    call: PipelineCall,
    type: 'approval_granted' | 'approval_denied',
    mark: (id: string, seq: number) => void,
  ): Promise<Outcome> => {
    const { approval_id: asked } = payloadOf(call, 'approvals.approve', 'approvals.deny');
    const request = findOpen(approvals, asked);
    const { id, action } = request;
    if (answering.has(id)) {
      throw new SublError('approval_used', `the approval request \`${id}\` is being answered`);
    }
    answering.add(id);
    try {
      const seq = await record(parts, answerEntry(type, request, parts.clock()));
      mark(id, seq);
      return success({ approval_id: id, action, ...(type === 'approval_granted' ? { grant_seq: seq } : {}) });
    } finally {
      answering.delete(id);
    }
  };
  return {
    'approvals.list': {
      execute: () =>
        success({
          approvals: approvals.list().map((request) => ({ ...request, flags: [...request.flags] })),
        }),
    },
    'approvals.approve': {
      execute: (call) => answer(call, 'approval_granted', (id, seq) => approvals.markApproved(id, seq)),
    },
    'approvals.deny': {
      execute: (call) => answer(call, 'approval_denied', (id) => approvals.markDenied(id)),
    },
  };
}

function findOpen(approvals: Approvals, id: string): ApprovalRequest {
  const request = approvals.get(id);
  if (request === undefined)
    throw new SublError('approval_not_found', `there is no open approval request \`${id}\``);
  if (request.state !== 'pending') {
    throw new SublError('approval_used', `the approval request \`${id}\` is already ${request.state}`);
  }
  return request;
}

function answerEntry(
  type: 'approval_granted' | 'approval_denied',
  request: ApprovalRequest,
  ts: number,
): EntryInput {
  const { id, client, action, payload_hash, expires_at } = request;
  return {
    type,
    ts,
    runId: null,
    tool: action,
    data: { approval_id: id, client, action, payload_hash, expires: expires_at },
  };
}

async function record(parts: ApprovalHandlerParts, entry: EntryInput): Promise<number> {
  const result = await parts.recorder.append({ entries: [entry] });
  const seq = result.ok ? result.entries[0]?.seq : undefined;
  if (seq === undefined)
    throw new SublError('audit_unavailable', 'the answer could not be recorded, so it has no effect');
  return seq;
}
