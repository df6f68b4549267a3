import type { JsonObject } from '@subluminal/core-types';
import type { ActionOf } from '../../pipeline/steps.js';
import type { PolicyHolder } from '../../policy/holder.js';
import { policySummary } from '../../policy/summary.js';
import { read } from './read.js';

export interface PolicyShowParts {
  readonly policy: PolicyHolder;
  /** The part on policies of projects, with the text of the one that is asked for. */
  readonly projects: (asked: string | undefined) => Promise<JsonObject>;
}

/** `policy.show`: the policy of the home, and those of projects that are trusted; the text of one of them. */
export function policyShow({ policy, projects }: PolicyShowParts): ActionOf<'policy.show'> {
  return read(async ({ project }) => {
    const ofProjects = await projects(project);
    return { ...policySummary(policy), bundle: bundleOf(policy), ...ofProjects };
  });
}

function bundleOf(holder: PolicyHolder): JsonObject {
  // The compiled form is plain frozen data; the copy only gives it the type of JSON.
  const copy: unknown = JSON.parse(JSON.stringify(holder.current.snapshot.plain));
  return copy as JsonObject;
}
