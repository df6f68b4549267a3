import { type ActionTable, Mutex } from '@subluminal/gateway';
import { policyTrust, policyUntrust, type TrustParts } from './policy-trust.js';

/** The actions of this wing. */
export type ProjectsActions = Pick<ActionTable, 'policy.trust' | 'policy.untrust'>;

export function projectsActions(from: Omit<TrustParts, 'changes'>): ProjectsActions {
  const parts = { ...from, changes: new Mutex() };
  return { 'policy.trust': policyTrust(parts), 'policy.untrust': policyUntrust(parts) };
}
