import type { Stage } from './stage.js';

/**
 * Stage 3: tells whether the action may be done. An action with a destination goes only where the operator
 * allowed it, and the name is resolved here, once: the addresses that are judged are those that will be
 * dialled. For a tool call the policy is asked. Every other action has no destination: its key permits it, or
 * not.
 */
export const decideStage: Stage = { name: 'allowlist', run: (_call, steps) => steps.decide() };
