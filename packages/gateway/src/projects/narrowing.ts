import type { PolicyRef } from '@subluminal/core-types';
import type { Narrowing } from '@subluminal/policy';
import type { RunPolicy } from '../policy/run-policy.js';
import type { BoundRun, Projects } from './projects.js';

/** A policy that narrows that of the home for a run. */
export interface RunNarrowing extends Narrowing {
  readonly ref: PolicyRef;
  /** Of a project: the path of its policy. */
  readonly file: string | undefined;
}

/** Every policy that narrows what the home's leaves to a run: its own, and those of its projects. */
export function narrowingOf(
  projects: Pick<Projects, 'of'>,
  run: Pick<BoundRun, 'projects'> & { readonly policy: RunPolicy | undefined },
): readonly RunNarrowing[] {
  const own = run.policy;
  const others = projects.of(run);
  if (own === undefined && others.length === 0) return NONE;
  return [
    ...(own === undefined ? [] : [{ kind: 'run' as const, ...own, file: undefined }]),
    ...others.map(({ file, ref, snapshot }) => ({ kind: 'project' as const, file, ref, snapshot })),
  ];
}

const NONE: readonly RunNarrowing[] = Object.freeze([]);
