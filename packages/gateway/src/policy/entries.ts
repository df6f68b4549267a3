import { canonicalize, type JsonObject, type PolicyRef } from '@subluminal/core-types';
import type { EntryInput } from '@subluminal/ledger';
import { diffSummary, type PolicySignature, type PolicySnapshot } from '@subluminal/policy';
import { policyData } from './policy-data.js';
import type { Acceptance } from './accept.js';
import type { LoadedPolicy, PolicyFailure } from './loaded.js';

/** Entries name at most so many changes, and so many mistakes. */
const MAX_CHANGES = 100;
const MAX_PROBLEMS = 20;

/** `policy_loaded`: which policy decides from now on, and what that changes. */
export function loadedEntry(before: LoadedPolicy, next: LoadedPolicy, ts: number): EntryInput {
  const diff = diffSummary(before.snapshot, next.snapshot);
  return {
    type: 'policy_loaded',
    ts,
    runId: null,
    data: {
      policy: { ...policyData(next.ref), mode: next.snapshot.mode },
      source: next.source,
      ...(next.signature === null ? {} : { signature: signatureData(next.signature) }),
      previous_hash: before.ref.policy_hash,
      loosened: diff.loosened,
      changes: diff.changes.slice(0, MAX_CHANGES),
    },
    ...(next.source === 'builtin' ? {} : { blobs: bundleBlob(next.snapshot) }),
  };
}

/**
 * The data of `policy_refused`: places of mistakes, and none of the words of the file, since an entry stays
 * for ever.
 */
export function refusedData(
  { code, message, problems }: PolicyFailure,
  accept: Acceptance['accept'],
  inForce: PolicyRef,
): JsonObject {
  const places = problems.slice(0, MAX_PROBLEMS).map(({ code: mistake, line }) => ({ code: mistake, line }));
  const why = code === 'policy_invalid' ? {} : { message };
  return { accept, error: { code, ...why }, problems: places, in_force: policyData(inForce) };
}

/** Who signed a policy, as entries and answers say it. */
export function signatureData({ signer, serial, signed_at, file_sha256 }: PolicySignature): JsonObject {
  return { signer, serial, signed_at, file_sha256 };
}

/** What old calls are explained by. Everybody knows the built-in one. */
function bundleBlob({ plain }: PolicySnapshot): Readonly<Record<string, string>> {
  return { 'policy.bundle': canonicalize(plain) };
}
