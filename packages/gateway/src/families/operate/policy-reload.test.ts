import { describe, expect, it, vi } from 'vitest';
import type { Call } from '../../pipeline/call.js';
import type { PolicyHolder } from '../../policy/holder.js';
import { policyReload } from './policy-reload.js';

const [SHOWN, IN_FORCE] = ['a'.repeat(64), 'b'.repeat(64)];

describe('a page that puts a policy file in force', () => {
  it.each([
    ['neither', {}],
    ['the policy in force alone', { previous_hash: IN_FORCE }],
    ['the policy that it showed alone', { policy_hash: SHOWN }],
  ])('is refused where it names %s, and the file is not even read', async (_, payload) => {
    const reload = vi.fn<PolicyHolder['reload']>(() => Promise.reject(new Error('it is read')));
    const call = { caller: { kind: 'ui' } } as unknown as Call;
    const steps = policyReload({ reload } as unknown as PolicyHolder)(call, payload);
    if (!('execute' in steps)) throw new Error('no steps');
    expect(await steps.execute()).toMatchObject({ status: 'error', error: { code: 'invalid_request' } });
    expect(reload).not.toHaveBeenCalled();
  });
});
