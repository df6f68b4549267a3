import type { EntryInput } from '@subluminal/ledger';
import type { Clock } from '../base/clock.js';
import type { Recorder } from '../recording/recorder.js';
import { projectPolicyEntry, type ProjectPolicy } from './project-policy.js';
import type { BoundRun, Projects } from './projects.js';

export interface EnterParts {
  readonly projects: Projects;
  readonly recorder: Pick<Recorder, 'note'>;
  readonly clock: Clock;
}

/** The run works in these folders. Policies that bind it by that are recorded before what it does there. */
export function enterFolders(
  { projects, recorder, clock }: EnterParts,
  run: BoundRun,
  folders: readonly string[],
): void {
  const entered = projects.enter(run, folders);
  if (entered.length > 0) recorder.note({ entries: enteredEntries(run.id, entered, clock()) });
}

/** `policy_loaded` of each policy that binds a run from now on. */
export function enteredEntries(runId: string, policies: readonly ProjectPolicy[], ts: number): EntryInput[] {
  return policies.map((policy) => projectPolicyEntry(runId, policy, ts));
}
