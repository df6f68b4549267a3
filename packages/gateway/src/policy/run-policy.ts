import {
  canonicalize,
  parseJson,
  SublError,
  type PolicyRef,
  type RunBeginPayload,
} from '@subluminal/core-types';
import type { EntryInput } from '@subluminal/ledger';
import {
  compilePolicy,
  policyRef,
  runPolicy,
  snapshotFromPlain,
  type PolicySnapshot,
} from '@subluminal/policy';
import { policyData } from './policy-data.js';

/**
 * The policy that a run brought along: it narrows what the home's policy leaves, and lives as long as the
 * run.
 */
export interface RunPolicy {
  /** With meters of its own in the state of the run. */
  readonly snapshot: PolicySnapshot;
  readonly ref: PolicyRef;
}

/** @throws SublError `policy_invalid`, with the place of the first mistake. */
export function compileRunPolicy({ text, format }: NonNullable<RunBeginPayload['policy']>): RunPolicy {
  const compiled = compilePolicy(text, { format });
  if (compiled.ok) return ofRun(compiled.snapshot);
  const [first] = compiled.problems;
  const where = first === undefined ? '' : `line ${first.line}, column ${first.column}: ${first.message}`;
  throw new SublError('policy_invalid', `the policy of the run: ${where}`, {
    help: '`sub policy lint FILE` lists every mistake',
  });
}

/** What a restart goes on with: the canonical text of the normal form. */
export function keptText({ snapshot }: RunPolicy): string {
  return canonicalize(snapshot.plain);
}

/**
 * The policy of a run that goes on.
 *
 * @throws SublError `policy_invalid` where the text is not there, or is not that of the recorded hash: who
 * forgot what narrows a run would loosen it.
 */
export function restoredRunPolicy(text: string | undefined, hash: string): RunPolicy {
  if (text === undefined)
    throw new SublError('policy_invalid', 'the policy of the run is not there any more');
  const policy = ofRun(snapshotFromPlain(parseJson(text)));
  if (policy.ref.policy_hash === hash) return policy;
  throw new SublError('policy_invalid', 'the policy of the run is not the one that was recorded');
}

/** `policy_loaded` of a run: what narrows it from its beginning to its end. */
export function runPolicyEntry(runId: string, { ref, snapshot }: RunPolicy, ts: number): EntryInput {
  return {
    type: 'policy_loaded',
    ts,
    runId,
    data: { policy: { ...policyData(ref), mode: snapshot.mode }, source: 'run' },
    blobs: { 'policy.bundle': canonicalize(snapshot.plain) },
  };
}

function ofRun(snapshot: PolicySnapshot): RunPolicy {
  return { snapshot: runPolicy(snapshot), ref: policyRef(snapshot) };
}
