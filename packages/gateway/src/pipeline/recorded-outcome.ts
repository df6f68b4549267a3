import type { JsonValue, ResponseStatus } from '@subluminal/core-types';
import { isErrorCode, isJsonObject } from '@subluminal/core-types';
import type { LedgerRow, SeenOutcome } from '@subluminal/ledger';
import { refuse, type Refusal } from './reply.js';

/**
 * The answer to a request whose id was used before on another connection: a client that resends after a crash learns
 * what was recorded, and nothing is done again. What a service answered is not in the ledger, so a success says only
 * that; a call that was allowed and has no end is `in_doubt`. Design §3.
 */
export function recordedOutcome(seen: SeenOutcome | null): Refusal {
  const row = seen?.result ?? seen?.claimed;
  if (row === undefined || isUnanswered(row)) {
    return refuse('in_doubt', 'the request was accepted before, and its outcome is not known', {
      details: seen === null ? {} : { audit_ref: refOf(seen.claimed) },
    });
  }
  const { code, message } = errorOf(row);
  return {
    status: statusOf(row),
    error: { code, message, details: { audit_ref: refOf(row), recorded: row.code ?? row.type } },
  };
}

/** An allowed call runs in its shim, so that even its recorded end does not tell this client what it may do now. */
function isUnanswered(row: LedgerRow): boolean {
  return row.type === 'action_pending' || (row.type === 'tool_call_decision' && row.code === 'ALLOW');
}

function statusOf(row: LedgerRow): Exclude<ResponseStatus, 'success'> {
  if (row.code === 'rate_limited' || row.code === 'THROTTLE') return 'rate_limited';
  return row.code === 'requires_approval' ? 'requires_approval' : 'error';
}

function errorOf(row: LedgerRow): { code: Refusal['error']['code']; message: string } {
  const error: JsonValue = Object.hasOwn(row.data, 'error') ? (row.data['error'] ?? null) : null;
  if (isJsonObject(error)) {
    const { code, message } = error;
    if (typeof code === 'string' && isErrorCode(code) && typeof message === 'string')
      return { code, message };
  }
  if (row.type === 'tool_call_decision' || row.type === 'tool_call_end') {
    return { code: 'policy_blocked', message: 'the call was refused before' };
  }
  return { code: 'replayed', message: 'the request was carried out before' };
}

function refOf(row: LedgerRow): string {
  return `${row.seq}.${row.leaf}`;
}
