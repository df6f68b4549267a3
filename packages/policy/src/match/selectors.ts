import type { PlainSelectors } from '../snapshot/plain.js';
import type { PolicyIdentity } from './call.js';

/** Lists are OR, fields are AND, an omitted field matches all; a missing fact matches no list. */
export function selects(selectors: PlainSelectors, identity: PolicyIdentity): boolean {
  if (!admits(selectors.env, identity.env)) return false;
  if (!admits(selectors.agent_id, identity.agent_id)) return false;
  if (!admits(selectors.client, identity.client)) return false;
  const wanted = selectors.workload;
  if (wanted === undefined) return true;
  const { workload } = identity;
  return (
    admits(wanted.namespace, workload?.namespace) &&
    admits(wanted.service_account, workload?.service_account) &&
    admits(wanted.repo, workload?.repo) &&
    admits(wanted.branch, workload?.branch) &&
    carries(wanted.labels, workload?.labels)
  );
}

function admits(allowed: readonly string[] | undefined, value: string | undefined): boolean {
  return allowed === undefined || (value !== undefined && allowed.includes(value));
}

function carries(
  wanted: Readonly<Record<string, string>> | undefined,
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  if (wanted === undefined) return true;
  return Object.entries(wanted).every(
    ([key, value]) => labels !== undefined && Object.hasOwn(labels, key) && labels[key] === value,
  );
}
