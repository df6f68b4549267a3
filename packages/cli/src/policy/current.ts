import { snapshotFromPlain, type PolicySnapshot } from '@subluminal/policy';
import { objectAt } from '@subluminal/core-types';
import { askOperator } from '../gateway/door.js';
import type { Call } from '../program/call.js';

/** Instead of a file: what the gateway has loaded. */
export const CURRENT = 'current';

/** The policy that the gateway has loaded. @throws SublError where no gateway answers. */
export async function currentPolicy(call: Call): Promise<PolicySnapshot> {
  return snapshotFromPlain(objectAt(await askOperator(call.home, call.session.now, 'policy.show'), 'bundle'));
}
