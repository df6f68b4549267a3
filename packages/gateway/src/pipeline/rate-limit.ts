import type { ErrorCode, JsonObject } from '@subluminal/core-types';
import type { Clock } from '../base/clock.js';
import type { EnrolmentLimit } from '../pace/enrolments.js';
import type { RateLimiter } from '../pace/rate-limiter.js';
import type { Refusal } from './reply.js';
import type { ServicePlaces } from '../families/service/places.js';
import type { Stage } from './stage.js';

/** What the stage counts with. */
export interface RateLimitParts {
  readonly limiter: RateLimiter;
  readonly enrolments: EnrolmentLimit;
  readonly places: ServicePlaces;
  readonly clock: Clock;
}

/**
 * Stage 4: the windows of the service actions and how many are carried out at once, and the window for runs that open themselves. A tool call has no window of
 * its own here: budgets and buckets are part of the policy's decision. Nor has a connection: what its run may have of the network is asked before
 * its name is looked up, in stage 3.
 */
export function rateLimitStage(parts: RateLimitParts): Stage {
  return {
    name: 'rate-limit',
    run(call) {
      const { action, definition } = call.read;
      if (action === 'run.begin' && call.caller.kind === 'enrol') {
        const verdict = parts.enrolments.take();
        if (verdict.ok) return 'pass';
        return limited('too_many_enrolments', 'too many runs opened themselves', verdict.retryAfterMs);
      }
      if (call.counted) return 'pass';
      if (definition.family !== 'service') return 'pass';
      const verdict = parts.limiter.take(action);
      if (verdict.ok) {
        call.countedMs = parts.clock();
        return parts.places.take(call);
      }
      const what = verdict.scope === 'global' ? 'all actions together' : `\`${action}\``;
      return limited('rate_limited', `the limit for ${what} is reached`, verdict.retryAfterMs, {
        scope: verdict.scope,
      });
    },
  };
}

function limited(code: ErrorCode, message: string, retryAfterMs: number, more: JsonObject = {}): Refusal {
  return {
    status: 'rate_limited',
    error: {
      code,
      message: `${message}; try again in ${Math.ceil(retryAfterMs / 1000)} s`,
      details: { retry_after_ms: retryAfterMs, ...more },
    },
  };
}
