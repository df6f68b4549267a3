import type { ActionTable } from '@subluminal/gateway';
import { policyTrust, policyUntrust, type TrustParts } from './policy-trust.js';

/** The actions of this wing. */
export type ProjectsActions = Pick<ActionTable, 'policy.trust' | 'policy.untrust'>;

export function projectsActions(parts: TrustParts): ProjectsActions {
  return { 'policy.trust': policyTrust(parts), 'policy.untrust': policyUntrust(parts) };
}
