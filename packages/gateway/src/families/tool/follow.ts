import { inTime } from '../../lookup/in-time.js';
import { nearest } from '../../lookup/nearest.js';
import { refuse, type Refusal } from '../../pipeline/reply.js';
import type { Passed } from '../../pipeline/steps.js';
import { enterFolders, type EnterParts } from '../../projects/enter.js';
import type { ProjectSight } from '../../projects/finding.js';
import type { BoundRun } from '../../projects/projects.js';

export interface FollowParts extends EnterParts {
  readonly sight: Pick<ProjectSight, 'resolve'>;
}

/**
 * A run makes a call in a folder: the policies of the project there bind it from now on, besides those that
 * bound it before. If nobody can tell in time where the folder's links lead, the call is not made.
 */
export function followRun(
  parts: FollowParts,
  run: BoundRun,
  folder: string | undefined,
): Passed | Promise<Passed | Refusal> {
  if (folder?.startsWith('/') !== true) return 'pass';
  enterFolders(parts, run, [folder]);
  return parts.projects.isEmpty ? 'pass' : followLinks(parts, run, folder);
}

async function followLinks(parts: FollowParts, run: BoundRun, folder: string): Promise<Passed | Refusal> {
  const real = await inTime((isLate) => nearest(folder, parts.sight.resolve, isLate));
  if (real === 'late')
    return refuse('overloaded', 'the folder of the call could not be looked up in time; try again');
  if (real !== folder) enterFolders(parts, run, [real]);
  return 'pass';
}
