import { SublError } from '@subluminal/core-types';
import type { PolicySnapshot } from '@subluminal/policy';
import { readPolicy } from '../../policy/source.js';

/** The policy of a file. Throws `policy_missing`; `policy_invalid` with its first mistake. */
export function loadPolicy(file: string): PolicySnapshot {
  const { name, result } = readPolicy(file);
  if (result.ok) return result.snapshot;
  const [first] = result.problems;
  const where = first === undefined ? '' : `:${first.line}:${first.column}: ${first.message}`;
  throw new SublError('policy_invalid', `\`${name}\`${where}`, {
    help: '`sub policy lint` lists every mistake',
  });
}
