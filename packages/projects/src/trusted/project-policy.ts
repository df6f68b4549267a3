import { canonicalize, redact, sha256Hex, SublError, type JsonObject } from '@subluminal/core-types';
import { policyData, type RunNarrowing } from '@subluminal/gateway';
import type { EntryInput } from '@subluminal/ledger';
import { compilePolicy, policyRef, projectPolicy, type PolicySnapshot } from '@subluminal/policy';

/** The trusted policy of a project: it narrows what the home's policy leaves to the runs that work there. */
export interface ProjectPolicy extends RunNarrowing {
  readonly kind: 'project';
  /** The path of its `.subluminal.yaml`. */
  readonly file: string;
  /** Of the trusted text. */
  readonly sha256: string;
  /** With meters of its own in the state of every run. */
  readonly snapshot: PolicySnapshot;
}

/** @throws SublError `policy_invalid`, with the place of the first mistake. */
export function compileProjectPolicy(file: string, text: string): ProjectPolicy {
  const compiled = compilePolicy(text, { format: 'yaml' });
  if (compiled.ok) return ofProject(file, text, compiled.snapshot);
  const [first] = compiled.problems;
  const where = first === undefined ? '' : `line ${first.line}, column ${first.column}: ${first.message}`;
  throw new SublError('policy_invalid', `the policy of the project: ${redact(where).text}`, {
    help: '`sub policy lint FILE` lists every mistake',
  });
}

/** In the place of a trusted text that this version cannot read: nothing passes, until it is read again. */
export function closedProjectPolicy(file: string, text: string): ProjectPolicy {
  const compiled = compilePolicy(CLOSED, { format: 'json' });
  if (!compiled.ok) throw new Error('the closed policy has a mistake');
  return ofProject(file, text, compiled.snapshot);
}

const CLOSED = canonicalize({
  policy_id: 'unreadable-project-policy',
  version: '1',
  mode: 'guardrails',
  defaults: { decision_on_error: 'BLOCK', no_match: 'BLOCK' },
  selectors: {},
  rules: [],
});

/** `policy_loaded` of a run: the policy of a project narrows it from now on, or does not any more. */
export function projectPolicyEntry(
  runId: string,
  { file, ref, sha256, snapshot }: ProjectPolicy,
  ts: number,
  isOver = false,
): EntryInput {
  const about = { file: redact(file).text, sha256, ...(isOver ? { ended: true } : {}) };
  return {
    type: 'policy_loaded',
    ts,
    runId,
    data: { policy: { ...policyData(ref), mode: snapshot.mode }, source: 'project', ...about },
    ...(isOver ? {} : { blobs: { 'policy.bundle': canonicalize(snapshot.plain) } }),
  };
}

/** A trusted policy in a few facts. */
export function trustedData({ file, ref, sha256, snapshot }: ProjectPolicy): JsonObject {
  return { file, sha256, policy: { ...policyData(ref), mode: snapshot.mode } };
}

function ofProject(file: string, text: string, snapshot: PolicySnapshot): ProjectPolicy {
  return {
    kind: 'project',
    file,
    sha256: sha256Hex(text),
    snapshot: projectPolicy(snapshot, file),
    ref: policyRef(snapshot),
  };
}
