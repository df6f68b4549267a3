import type { ActionHandler } from '../../pipeline/handlers.js';
import { payloadOf } from '../../pipeline/payload.js';
import { success } from '../../pipeline/reply.js';
import type { HeaderRelease } from './header-release.js';

/**
 * `http.reach`: stage 3 has decided on the destination and resolved its name. The answered addresses may be
 * dialled while the allowlist is of that generation, and nothing else. The secrets that its requests will hold
 * are recorded with it, once.
 */
export function httpReach(release: HeaderRelease): ActionHandler {
  return {
    first: (call) => release.entries(call, payloadOf(call, 'http.reach')),
    execute: (call) => {
      const { decided } = call;
      if (decided?.destination === undefined) throw new Error('a destination passed without a decision');
      release.recorded(call);
      const { addresses, allowPrivate } = decided.destination;
      return success({
        addresses: [...addresses],
        allow_private: allowPrivate,
        generation: decided.generation,
      });
    },
  };
}
