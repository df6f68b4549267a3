import type { JsonObject } from '@subluminal/core-types';
import { inTime, type RunRegistry, type Wing } from '@subluminal/gateway';
import { findingData, type ProjectSight, stateOf } from './place/finding.js';
import type { Projects } from './projects.js';
import { trustedData } from './trusted/project-policy.js';

/** Files that the status tells of. */
const MAX_TOLD = 16;

/**
 * The part of `policy.show` on the policies of projects that are trusted, with the text of the one that is
 * asked for.
 */
export async function projectsShown(
  { trusted }: Projects,
  sight: Pick<ProjectSight, 'resolve' | 'textOf'>,
  asked: string | undefined,
): Promise<JsonObject> {
  const projects = await Promise.all(
    trusted.all.map(async ({ file, sha256, trustedMs }) => {
      const state = await inTime(() => stateOf(sight, file, sha256));
      const known = trusted.policy(file);
      const about = known === undefined ? { file, sha256 } : trustedData(known);
      const now = state === 'late' ? 'unreadable' : (state ?? 'removed');
      return { ...about, trusted_at: new Date(trustedMs).toISOString(), state: now };
    }),
  );
  return {
    projects,
    ...(asked === undefined ? {} : { project_text: trusted.find(asked)?.text ?? null }),
  };
}

/**
 * The part of `gateway.status` that tells how many policies of projects are trusted, and which files of live
 * runs are not in force as they are.
 */
export function projectsStatus(
  projects: Projects,
  registry: Pick<RunRegistry, 'all'>,
): Pick<Wing, 'name' | 'status'> {
  return {
    name: 'projects',
    status: () => {
      const found = registry.all().flatMap((run) => projects.where(run).findings);
      const told = new Map(found.filter(({ state }) => state !== 'trusted').map((one) => [one.file, one]));
      return {
        trusted: projects.trusted.size,
        found: [...told.values()].slice(0, MAX_TOLD).map(findingData),
      };
    },
  };
}
