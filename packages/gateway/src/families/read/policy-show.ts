import type { JsonObject } from '@subluminal/core-types';
import { inTime } from '../../lookup/in-time.js';
import type { ActionOf } from '../../pipeline/steps.js';
import type { PolicyHolder } from '../../policy/holder.js';
import { policySummary } from '../../policy/summary.js';
import { stateOf, type ProjectSight } from '../../projects/finding.js';
import { trustedData } from '../../projects/project-policy.js';
import type { Projects } from '../../projects/projects.js';
import { read } from './read.js';

export interface PolicyShowParts {
  readonly policy: PolicyHolder;
  readonly projects: Projects;
  readonly sight: Pick<ProjectSight, 'resolve' | 'textOf'>;
}

/** `policy.show`: the policy of the home, and those of projects that are trusted; the text of one of them. */
export function policyShow({ policy, projects, sight }: PolicyShowParts): ActionOf<'policy.show'> {
  return read(async ({ project }) => {
    const trusted = await Promise.all(
      projects.all.map(async ({ file, sha256, trustedMs }) => {
        const state = await inTime(() => stateOf(sight, file, sha256));
        const known = projects.policy(file);
        const about = known === undefined ? { file, sha256 } : trustedData(known);
        const now = state === 'late' ? 'unreadable' : (state ?? 'removed');
        return { ...about, trusted_at: new Date(trustedMs).toISOString(), state: now };
      }),
    );
    const asked = project === undefined ? undefined : projects.find(project);
    return {
      ...policySummary(policy),
      bundle: bundleOf(policy),
      projects: trusted,
      ...(project === undefined ? {} : { project_text: asked?.text ?? null }),
    };
  });
}

function bundleOf(holder: PolicyHolder): JsonObject {
  // The compiled form is plain frozen data; the copy only gives it the type of JSON.
  const copy: unknown = JSON.parse(JSON.stringify(holder.current.snapshot.plain));
  return copy as JsonObject;
}
