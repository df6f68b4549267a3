import type { ErrorCode, PolicyRef } from '@subluminal/core-types';
import type { PolicyProblem, PolicySignature, PolicySnapshot } from '@subluminal/policy';

/** The policy that decides now. */
export interface LoadedPolicy {
  readonly snapshot: PolicySnapshot;
  readonly ref: PolicyRef;
  /** `stored`: the last good text, because the file is missing or has a mistake. */
  readonly source: 'builtin' | 'file' | 'stored';
  readonly loadedMs: number;
  readonly warnings: readonly PolicyProblem[];
  /** What it was accepted by; null where nobody had to sign it. */
  readonly signature: PolicySignature | null;
}

/** Why a file is not loaded. */
export const REFUSALS = [
  'policy_invalid',
  'policy_missing',
  'policy_outdated',
  'policy_pending',
  'policy_unsigned',
] as const satisfies readonly ErrorCode[];

/** Why the file is not what decides. */
export interface PolicyFailure {
  readonly code: (typeof REFUSALS)[number] | 'audit_unavailable';
  readonly message: string;
  readonly help: string | undefined;
  readonly problems: readonly PolicyProblem[];
  readonly atMs: number;
}
