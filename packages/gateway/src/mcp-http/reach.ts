import type { ActionHandler } from '../pipeline/handlers.js';
import { success } from '../pipeline/reply.js';

/**
 * `http.reach`: stage 3 has decided on the destination and resolved its name. What is answered may be dialled while the
 * allowlist is of that generation, and nothing else.
 */
export const httpReach: ActionHandler = {
  execute: ({ decided }) => {
    if (decided?.destination === undefined) throw new Error('a destination passed without a decision');
    const { addresses, allowPrivate } = decided.destination;
    return success({
      addresses: [...addresses],
      allow_private: allowPrivate,
      generation: decided.generation,
    });
  },
};
