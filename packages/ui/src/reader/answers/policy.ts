import { isSublError, type JsonObject, redact, SublError, textAt } from '@subluminal/core-types';
import { readPolicyFile } from '@subluminal/gateway';
import type { LedgerReader } from '@subluminal/ledger';
import { comparePolicies, compilePolicy, type PolicySnapshot } from '@subluminal/policy';
import { policyByHash } from '@subluminal/records';
import type { PolicyCompared, PolicyFile, PolicyView } from '../../protocol/policy.js';
import { indented, policyParts } from './policy-parts.js';
import { ruleCounts } from './rule-counts.js';

const DAY_MS = 24 * 3_600_000;

/** The policies in force, with how often each rule decided within a day, and those that were before them. */
export function policyView(
  reader: LedgerReader,
  policy: JsonObject,
  file: string,
  now: () => number,
): PolicyView {
  const since = now() - DAY_MS;
  const counts = ruleCounts(reader, since, now);
  return {
    policy,
    parts: policyParts(reader, policy, file, counts),
    since,
    partial: counts.isPartial,
    problem: textAt(policy, 'error', 'message') || null,
  };
}

/** Two policies that were in force. @throws SublError `not_found` where one cannot be had. */
export function compared(reader: LedgerReader, oldHash: string, newHash: string): PolicyCompared {
  return comparison(snapshotOf(reader, oldHash), snapshotOf(reader, newHash));
}

/** The policy file as it is now, against the policy in force, whose hash is `current`. */
export function policyFile(reader: LedgerReader, path: string, current: string): PolicyFile {
  try {
    const compiled = compilePolicy(readPolicyFile(path), { filename: 'policy.yaml' });
    if (compiled.ok)
      return { compared: comparison(snapshotOf(reader, current), compiled.snapshot), problem: null };
    const [{ line, message } = { line: 1, message: 'it has a mistake' }] = compiled.problems;
    return { compared: null, problem: `policy.yaml:${line}: ${redact(message).text}` };
  } catch (error) {
    if (!isSublError(error)) throw error;
    return { compared: null, problem: error.message };
  }
}

function comparison(before: PolicySnapshot, after: PolicySnapshot): PolicyCompared {
  const { changes, loosened, tightened } = comparePolicies(before, after);
  const diff: unknown = JSON.parse(JSON.stringify({ loosened, tightened, changes }));
  return {
    old: { hash: before.policy_hash, text: indented(before.plain) },
    new: { hash: after.policy_hash, text: indented(after.plain) },
    diff: diff as JsonObject,
  };
}

function snapshotOf(reader: LedgerReader, hash: string): PolicySnapshot {
  const found = policyByHash(reader, hash);
  if (found.found) return found.snapshot;
  throw new SublError('not_found', `the policy \`${hash}\` cannot be had: ${found.why}`);
}
