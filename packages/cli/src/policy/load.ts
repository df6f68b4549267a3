import { SublError } from '@subluminal/core-types';
import type { PolicySnapshot } from '@subluminal/policy';
import { policyPath, readPolicy } from './source.js';
import type { Session } from '../program/session.js';

/**
 * Loads the policy of a file, or a starter policy by its name. Throws `policy_missing`, or `policy_invalid`
 * with its first mistake.
 */
export function loadPolicy(given: string, { starterPolicies }: Session): PolicySnapshot {
  const { name, result } = readPolicy(policyPath(given, starterPolicies));
  if (result.ok) return result.snapshot;
  const [first] = result.problems;
  const where = first === undefined ? '' : `:${first.line}:${first.column}: ${first.message}`;
  throw new SublError('policy_invalid', `\`${name}\`${where}`, {
    help: '`sub policy lint` lists every mistake',
  });
}
