import { sha256Hex } from '@subluminal/core-types';
import { decide, type DecideResult, type PolicyCall } from '@subluminal/policy';
import type { Snapshot } from './snapshot.js';

/** The one class that a call must have from the policy's own tag rules, and the only one it may have. */
const READ_CLASS = 'read_like';

/**
 * Decides a call, and charges it where it may be made. The rest of a limit is shared among the shims of
 * the run, none of which hears of the others: the call has to fit as often as there are shims, and is charged
 * as often.
 */
export function reserve(content: Snapshot, call: PolicyCall, now: number): DecideResult | undefined {
  const { policy, state, waivers, shares } = content;
  const found = decide(policy, state, call, now, { waivers });
  if (!isRead(content, call, found, now)) return undefined;
  const charges = [found.charge];
  state.apply(found.charge, now);
  for (let share = 1; share < shares; share += 1) {
    // Another call, as far as rules go that look for the same one again.
    const args_hash = sha256Hex(`${call.args_hash}|${share}`);
    const other = decide(policy, state, { ...call, args_hash }, now, { waivers });
    if (other.decision.action !== 'ALLOW') {
      for (const charge of charges.toReversed()) state.revert(charge);
      return undefined;
    }
    charges.push(other.charge);
    state.apply(other.charge, now);
  }
  return found;
}

/**
 * The rules allow it, in observe mode as in any other; none of them failed; and it is a read by the policy's
 * own rules and nothing else besides, whatever the server says of the tool.
 */
function isRead(content: Snapshot, call: PolicyCall, found: DecideResult, now: number): boolean {
  const { decision, tags } = found;
  if (decision.action !== 'ALLOW' || decision.reason_code === 'RULE_ERROR') return false;
  if (!tags.includes(READ_CLASS) || tags.some((name) => name !== READ_CLASS)) return false;
  if ((call.raised ?? []).length === 0) return true;
  const { policy, state, waivers } = content;
  return decide(policy, state, { ...call, raised: [] }, now, { waivers }).tags.includes(READ_CLASS);
}
