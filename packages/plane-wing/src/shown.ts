import type { JsonObject } from '@subluminal/core-types';
import type { Baselines, Role } from '@subluminal/plane';
import type { Followed } from './states/states.js';

/** An agent as `sub plane status` shows it. */
export function agentShown({ identity, runId, state }: Followed, role: Role): JsonObject {
  const { agent, client, session } = identity;
  const { actions, checkpoint, number, sinceMs, tier } = state.window;
  return {
    client,
    session,
    agent,
    run_id: runId,
    role,
    held_out: state.isHeldOut,
    window: { number, tier, actions, since: new Date(sinceMs).toISOString(), checkpoint },
    seen_at: new Date(state.nowMs).toISOString(),
  };
}

/** The lengths of windows that were learnt, a row a repository, kind of task and mix of tools. */
export function learntShown({ rows }: Baselines): readonly JsonObject[] {
  return rows.map(({ actions, key, ms }) => {
    const [repository = '', task = '', mix = ''] = key.split(' ');
    return { repository, task, mix, windows: actions.length, actions: middleOf(actions), ms: middleOf(ms) };
  });
}

function middleOf(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}
