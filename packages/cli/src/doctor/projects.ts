import { isJsonObject, listAt } from '@subluminal/core-types';
import type { HomePaths } from '@subluminal/ipc';
import { askOperator } from '../gateway/door.js';
import { projectRemarks } from '../policy/project/remarks.js';
import { attempted } from '../program/attempt.js';
import { found, ok, type Check } from './check.js';

/**
 * Are the policies of projects in force as their files are now? Undefined where none is trusted, or no
 * gateway tells.
 */
export async function checkProjects(home: HomePaths, now: () => number): Promise<Check | undefined> {
  const policy = await attempted(askOperator(home, now, 'policy.show'));
  const projects = policy !== undefined && isJsonObject(policy) ? listAt(policy, 'projects') : [];
  if (projects.length === 0) return undefined;
  const [first, ...others] = projectRemarks(projects);
  if (first === undefined) return ok('projects', 'the policies of projects are as they are trusted');
  const more = others.length === 0 ? '' : `, and ${others.length} more`;
  return found(
    'projects',
    'warn',
    `${first}${more}`,
    'read the change, then trust it, or take it back: `sub policy show --projects` lists all',
  );
}
