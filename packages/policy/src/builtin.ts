import { buildSnapshot, type PolicySnapshot } from './snapshot/snapshot.js';

/**
 * The policy of a home that never had a policy file: everything is recorded, nothing is blocked. Once a file
 * was loaded it is never used again, so that removing the file does not remove the policy.
 */
export const BUILTIN_OBSERVE: PolicySnapshot = buildSnapshot({
  policy_id: 'builtin-observe',
  version: '1.0.0',
  mode: 'observe',
  defaults: { decision_on_error: 'BLOCK', fail_open_read_tools: false, no_match: 'ALLOW' },
  selectors: {},
  rules: [],
});
