import { isJsonObject, type JsonValue } from '@subluminal/core-types';
import type { LedgerRow } from '../read/row.js';

const HASH = /^[0-9a-f]{64}$/;

/**
 * The hashes of the policies that an entry names: what began under it, what it decided by, what was loaded.
 */
export function policiesOf({ data }: LedgerRow): readonly string[] {
  const { policy, policies } = data;
  const named = [policy, ...(Array.isArray(policies) ? (policies as readonly JsonValue[]) : [])];
  return named.flatMap((one) => {
    const hash = one !== undefined && isJsonObject(one) ? one['policy_hash'] : undefined;
    return typeof hash === 'string' && HASH.test(hash) ? [hash] : [];
  });
}
