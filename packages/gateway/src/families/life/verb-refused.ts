import { SublError } from '@subluminal/core-types';
import { refuse } from '../../pipeline/reply.js';
import type { ActionOf } from '../../pipeline/steps.js';
import { life, TELLS } from './life.js';

/**
 * `verb.refused`: the gateway refuses the attempt as `sub` did. That records and bounds it like every
 * refusal.
 */
export const verbRefused: ActionOf<'verb.refused'> = life(TELLS, (_call, { verb, run_id: runId }) => ({
  record: () => {
    const run = runId === undefined ? '' : ` \`${runId}\``;
    return refuse('inside_run', `\`sub ${verb}\` is refused inside a run${run}`);
  },
  execute: () => {
    throw new SublError('inside_run', 'this command is refused inside a run');
  },
}));
