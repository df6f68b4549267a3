import { SublError } from '@subluminal/core-types';
import type { PolicyHolder } from '../../policy/holder.js';
import { policySummary } from '../../policy/summary.js';
import type { ActionOf } from '../../pipeline/steps.js';
import { operate } from './operate.js';

/** `policy.reload`. A reload that fails keeps the policy that is there, and says why. */
export function policyReload(holder: PolicyHolder): ActionOf<'policy.reload'> {
  return operate(async ({ policy_hash: expect }) => {
    const changed = await holder.reload({ asked: true, expect });
    const { failure } = holder;
    if (failure === undefined) return { ...policySummary(holder), changed };
    const help = failure.problems[0]?.help ?? failure.help;
    throw new SublError(failure.code, failure.message, help === undefined ? {} : { help });
  });
}
