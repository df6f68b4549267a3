import { SublError } from '@subluminal/core-types';
import type { PolicyHolder } from '../../policy/holder.js';
import { policySummary } from '../../policy/summary.js';
import type { ActionOf } from '../../pipeline/steps.js';
import { operate } from './operate.js';

/** `policy.reload`. One that fails keeps what is there, and says why. A page names what it showed. */
export function policyReload(holder: PolicyHolder): ActionOf<'policy.reload'> {
  return operate(async (shown, { caller }) => {
    if (caller.kind === 'ui' && (shown.policy_hash === undefined || shown.previous_hash === undefined))
      throw new SublError('invalid_request', 'a page names the policy that it showed, and the one in force');
    const changed = await holder.reload({ asked: true, shown });
    const { failure } = holder;
    if (failure === undefined) return { ...policySummary(holder), changed };
    const help = failure.problems[0]?.help ?? failure.help;
    throw new SublError(failure.code, failure.message, help === undefined ? {} : { help });
  });
}
