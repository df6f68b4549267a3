import { SublError, type ActionName } from '@subluminal/core-types';
import type { AppendGroup, EntryInput, EntryType } from '@subluminal/ledger';

/**
 * Entries that are recorded however full the ledger is: the end of what runs already, and what the gateway
 * says of itself. There is room for it: calls and actions that run at once are bounded, and their ends carry
 * no previews then.
 */
const ENDS: ReadonlySet<EntryType> = new Set<EntryType>([
  'tool_call_end',
  'action_result',
  'run_end',
  'upstream_end',
  'approval_denied',
  'gateway_start',
  'gateway_stop',
  'panicked',
  'policy_loaded',
  'settings_loaded',
  'peers_refused',
  'rejections_dropped',
]);

/**
 * Actions that the operator may ask of a full gateway: to take something away, and to stop it so that it
 * starts with a larger budget.
 */
const NARROWING: ReadonlySet<unknown> = new Set<ActionName>([
  'allow.deactivate',
  'allow.remove',
  'approvals.deny',
  'gateway.stop',
  'policy.reload',
]);

/** Stands before the ledger and keeps it within its budget. Starts open. */
export class BudgetGate {
  /** No room for previews: entries say so. */
  dropsPreviews = false;
  /** No room for anything that begins; why, for who asks. */
  full: { readonly message: string; readonly help: string } | undefined;

  /**
   * The group as it may be appended.
   *
   * @throws SublError `audit_unavailable` for what begins something while there is no room.
   */
  admit(group: AppendGroup): AppendGroup {
    if (this.full !== undefined && !group.entries.every(isTaken)) {
      throw new SublError('audit_unavailable', this.full.message, { help: this.full.help });
    }
    return this.dropsPreviews ? { ...group, dropPreviews: 'budget' } : group;
  }
}

function isTaken({ type, tool }: EntryInput): boolean {
  return ENDS.has(type) || (type === 'action_pending' && NARROWING.has(tool));
}
