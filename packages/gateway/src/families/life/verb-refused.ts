import { SublError } from '@subluminal/core-types';
import { refuse } from '../../pipeline/reply.js';
import type { ActionOf } from '../../pipeline/steps.js';
import type { RunRegistry } from '../../runs/registry.js';
import { life, TELLS } from './life.js';

/**
 * `verb.refused`: the gateway refuses the attempt as `sub` did. That records and bounds it like every
 * refusal. A run that the operator's key names has it in its record while it lives.
 */
export function verbRefused(registry: RunRegistry): ActionOf<'verb.refused'> {
  return life(TELLS, ({ caller }, { verb, run_id: runId }) => ({
    record: () => {
      const run = runId === undefined ? '' : ` \`${runId}\``;
      const refusal = refuse('inside_run', `\`sub ${verb}\` is refused inside a run${run}`);
      const named = runId === undefined || caller.kind !== 'operator' ? undefined : registry.live(runId);
      return named === undefined ? refusal : { ...refusal, runId: named.id };
    },
    execute: () => {
      throw new SublError('inside_run', 'this command is refused inside a run');
    },
  }));
}
