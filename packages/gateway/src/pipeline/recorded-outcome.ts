import {
  isErrorCode,
  isJsonObject,
  objectAt,
  own,
  type ErrorCode,
  type ResponseStatus,
} from '@subluminal/core-types';
import type { LedgerRow, SeenOutcome } from '@subluminal/ledger';
import { auditRef } from '../recording/recorder.js';
import { POLICY_CODES } from './policy-codes.js';
import { refuse, type Refusal } from './reply.js';

/**
 * The answer to a request whose id was used before on another connection: a client that resends after a crash
 * learns what was recorded, and nothing is done again. The ledger does not hold a service's answer, so a
 * success says only that it was carried out (`replayed`); a request without an outcome is `in_doubt`.
 * ARCHITECTURE.md, "The socket".
 */
export function recordedOutcome(seen: SeenOutcome | null): Refusal {
  if (seen === null)
    return refuse('in_doubt', 'the request was accepted before, and its outcome is not known');
  const { claimed, result } = seen;
  const policyCode =
    claimed.type === 'tool_call_decision' ? own(POLICY_CODES, claimed.code ?? '') : undefined;
  if (policyCode !== undefined) return refusedBefore(claimed, policyCode);
  const opened = claimed.type === 'action_pending' || claimed.type === 'tool_call_decision';
  const row = result ?? claimed;
  const details = { audit_ref: auditRef(row), recorded: row.code ?? row.type };
  if (opened && result === null) {
    return refuse('in_doubt', 'the request was accepted before, and its outcome is not known', { details });
  }
  // Allowed, and refused by a policy that was loaded before it was answered.
  const { class: kind, message: why } = objectAt(row.data, 'error');
  if (kind === 'policy_block' && typeof why === 'string') return refuse('policy_blocked', why, { details });
  const { code, message } = errorOf(row);
  return { status: statusOf(row), error: { code, message, details } };
}

/** A refused call, answered as it was the first time. */
function refusedBefore(row: LedgerRow, code: ErrorCode): Refusal {
  const decision = objectAt(row.data, 'decision');
  const { explain, ...rest } = decision;
  const told = isJsonObject(explain) ? explain : {};
  const summary = typeof told['summary'] === 'string' ? told['summary'] : 'the call was refused before';
  return {
    status: row.code === 'THROTTLE' ? 'rate_limited' : 'error',
    error: { code, message: summary, details: { audit_ref: auditRef(row) } },
    data: {
      decision: { ...rest, ...told },
      policy: objectAt(row.data, 'policy'),
      args_hash: objectAt(row.data, 'call')['args_hash'] ?? '',
    },
  };
}

function statusOf(row: LedgerRow): Exclude<ResponseStatus, 'success'> {
  return row.code === 'rate_limited' || row.code === 'requires_approval' ? row.code : 'error';
}

function errorOf(row: LedgerRow): { readonly code: ErrorCode; readonly message: string } {
  const { code, message } = objectAt(row.data, 'error');
  if (typeof code === 'string' && isErrorCode(code) && typeof message === 'string') return { code, message };
  return { code: 'replayed', message: 'the request was carried out before' };
}
