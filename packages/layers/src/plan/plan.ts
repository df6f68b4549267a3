import { setImmediate } from 'node:timers/promises';
import type { Change, Diff, FileState } from '../diff/change.js';
import type { BytePath } from '../files/byte-path.js';
import type { Folder } from '../files/folder.js';
import { Folders } from '../files/folders.js';
import { chosenOf } from './chosen.js';
import { Asking } from './ask/asking.js';
import { riskPlaces } from '../risk/places.js';
import { repositoriesOf } from '../risk/repositories.js';
import { Planner } from './planner.js';
import { Risks } from '../risk/risks.js';
import type { Agreed, CommitPlan } from './steps.js';

/** Both sides of a commit, open, and what is to be taken over. */
export interface CommitOf {
  readonly diff: Diff;
  readonly project: Folder;
  readonly upper: Folder;
  /** Those, and what stands below them; none: all. */
  readonly paths: readonly BytePath[];
  /** They are taken over also where the project has changed. */
  readonly isOverwriting: boolean;
  /**
   * Those alone, and only if the project is still as somebody saw it there; undefined in it: nothing was
   * there. Unless given, whatever is there now is overwritten.
   */
  readonly seen?: ReadonlyMap<BytePath, FileState | undefined> | undefined;
  /** The changes to which a person has said yes, as `pinned` gave them. */
  readonly agreed: readonly Agreed[];
  /** The pattern of the policy by which a person is asked about a change; undefined: none fits. */
  readonly askedBy: (change: Change) => string | undefined;
}

/** Changes between two turns of the event loop. */
const SLICE = 200;

/**
 * Compares the project with what the world saw of it, and plans what is to be done. Changes nothing. Throws
 * the system's errors for a project that cannot be read.
 */
export async function planCommit({
  diff,
  project,
  upper,
  paths,
  isOverwriting,
  seen,
  agreed,
  askedBy,
}: CommitOf): Promise<CommitPlan> {
  const risks = new Risks(riskPlaces(project), repositoriesOf(diff.changes, project));
  const open = { project: new Folders(project), upper: new Folders(upper) };
  const planner = new Planner({
    ...open,
    isOverwriting,
    seen,
    asking: new Asking({ risks, askedBy, agreed }),
  });
  try {
    for (const [at, change] of chosenOf(diff.changes, paths).entries()) {
      await planner.take(change);
      if (at % SLICE === SLICE - 1) await setImmediate();
    }
    return { ...planner.plan, isPartial: diff.isTruncated };
  } finally {
    open.project.close();
    open.upper.close();
  }
}
