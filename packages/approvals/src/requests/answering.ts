import { SublError, type JsonObject } from '@subluminal/core-types';
import type { EntryInput } from '@subluminal/ledger';
import type { Clock, Recorder } from '@subluminal/gateway';
import type { ApprovalRequest } from './approval-request.js';
import type { Approvals } from './approvals.js';

export interface AnsweringParts {
  readonly approvals: Approvals;
  readonly recorder: Recorder;
  readonly clock: Clock;
}

/**
 * The operator's answers to approval requests. A grant is a ledger entry first and usable second: the call
 * that uses it refers to that entry, and no two entries can.
 */
export class Answering {
  readonly #parts: AnsweringParts;
  /**
   * Between the look at a request and its mark lies a commit: a second answer must not be recorded meanwhile.
   */
  readonly #underWay = new Set<string>();

  constructor(parts: AnsweringParts) {
    this.#parts = parts;
  }

  /** @throws SublError `approval_not_found`, `approval_used`, `audit_unavailable` */
  async approve(asked: string): Promise<JsonObject> {
    return this.#answer(asked, 'approval_granted', (id, seq) => {
      this.#parts.approvals.markApproved(id, seq);
      return { grant_seq: seq };
    });
  }

  /** @throws SublError `approval_not_found`, `approval_used`, `audit_unavailable` */
  async deny(asked: string): Promise<JsonObject> {
    return this.#answer(asked, 'approval_denied', (id) => {
      this.#parts.approvals.markDenied(id);
      return {};
    });
  }

  async #answer(
    asked: string,
    type: 'approval_granted' | 'approval_denied',
    mark: (id: string, seq: number) => JsonObject,
  ): Promise<JsonObject> {
    const request = findOpen(this.#parts.approvals, asked);
    const { id, action } = request;
    if (this.#underWay.has(id))
      throw new SublError('approval_used', `the approval request \`${id}\` is being answered`);
    this.#underWay.add(id);
    try {
      const seq = await record(this.#parts, answerEntry(type, request, this.#parts.clock()));
      return { approval_id: id, action, ...mark(id, seq) };
    } finally {
      this.#underWay.delete(id);
    }
  }
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

async function record(parts: AnsweringParts, entry: EntryInput): Promise<number> {
  const result = await parts.recorder.append({ entries: [entry] });
  const seq = result.ok ? result.entries[0]?.seq : undefined;
  if (seq === undefined)
    throw new SublError('audit_unavailable', 'the answer could not be recorded, so it has no effect');
  return seq;
}
