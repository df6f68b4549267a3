import type { RunPolicy } from '../policy/run-policy.js';
import type { BoundRun, Projects, RunNarrowing } from './port.js';

/** Every policy that narrows what the home's leaves to a run: its own, and those of its projects. */
export function narrowingOf(
  projects: Pick<Projects, 'of'>,
  run: BoundRun & { readonly policy: RunPolicy | undefined },
): readonly RunNarrowing[] {
  const own = run.policy;
  const others = projects.of(run);
  return own === undefined ? others : [{ kind: 'run', ...own, file: undefined }, ...others];
}
