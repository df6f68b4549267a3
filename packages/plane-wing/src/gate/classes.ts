import { type GatewayConfig, PLANE_CLASSES, type ToolCallBeginPayload } from '@subluminal/core-types';
import type { Clock } from '@subluminal/gateway';
import { hasCheckpoint, waitsForCheckpoint } from '@subluminal/plane';
import type { Agents } from '../agents.js';
import type { Follower } from '../follow/follower.js';
import type { States } from '../states/states.js';
import type { Unsure } from '../unsure.js';

export const NO_CLASSES: readonly string[] = [];

export interface GateParts {
  readonly follower: Follower;
  readonly states: States;
  readonly agents: Agents;
  readonly unsure: Unsure;
  readonly settings: () => GatewayConfig['plane'];
  readonly clock: Clock;
}

/**
 * The risk classes that a call has by the present window of its agent. If that cannot be told it has all of
 * them: nobody knows of a checkpoint. `isStopped`: the plane follows no more.
 */
export function gateClasses(
  { agents, clock, follower, settings, states, unsure }: GateParts,
  runId: string,
  call: Pick<ToolCallBeginPayload, 'context' | 'via'>,
  isStopped: boolean,
): readonly string[] {
  const told = follower.toldSpeakerOf(runId, call);
  if (told !== undefined && agents.roleOf(runId, told) === 'director') return NO_CLASSES;
  if (isStopped || unsure.has(runId)) return PLANE_CLASSES;
  const speaker = follower.speakerOf(runId, call);
  const kept = states.kept(agents.identityOf(runId, speaker));
  if (kept === undefined) return PLANE_CLASSES;
  const { state } = kept;
  // By any agent of the run: a subagent may make the call.
  const isUntested = state.window.unchecked > 0 || states.hasUnchecked(runId) || follower.isChanging(runId);
  // Another run showed what stands there: it is no evidence in this one.
  const hasEvidence =
    kept.runId === runId && hasCheckpoint(state, agents.settingsFor(runId, speaker), clock());
  const waits = waitsForCheckpoint(true, hasEvidence, { modes: settings(), role: 'worker' });
  return PLANE_CLASSES.filter((name) => (name === 'no_checkpoint' ? waits : isUntested));
}
