import { textAt } from '@subluminal/core-types';
import type { LedgerRow } from '@subluminal/ledger';
import { type CallRecord, statusOf } from './record.js';

/** How actions end that were not executed. */
const REFUSED_ACTIONS: ReadonlySet<string> = new Set(['rejected', 'rate_limited', 'requires_approval']);

/** Whether a call, an action or a connection was not let through, by whatever decision. */
export function wasRefused(record: CallRecord): boolean {
  const decision = record.decision?.code ?? null;
  if (decision !== null) return decision !== 'ALLOW';
  return REFUSED_ACTIONS.has(statusOf(record) ?? '') || endsRefused(record.last);
}

/** Whether this entry is the one by which its record counts as refused. */
export function refuses(row: LedgerRow): boolean {
  if (row.type === 'tool_call_decision') return row.code !== 'ALLOW';
  return row.type === 'action_rejected' || endsRefused(row);
}

/** A connection can be refused after it was made, for what is spoken on it. */
function endsRefused(row: LedgerRow | null): boolean {
  return textAt(row?.data ?? null, 'outcome') === 'refused';
}
