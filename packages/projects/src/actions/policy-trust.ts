import { type JsonObject, sha256Hex, SublError } from '@subluminal/core-types';
import {
  type ActionOf,
  type Clock,
  type Mutex,
  operate,
  type Recorder,
  type Run,
  type RunRegistry,
  type Turns,
} from '@subluminal/gateway';
import type { ProjectSight } from '../place/finding.js';
import { isProjectFile } from '../place/folders.js';
import type { Projects } from '../projects.js';
import { projectPolicyEntry, trustedData, type ProjectPolicy } from '../trusted/project-policy.js';

export interface TrustParts {
  readonly projects: Projects;
  readonly sight: Pick<ProjectSight, 'home'>;
  readonly registry: Pick<RunRegistry, 'all'>;
  readonly recorder: Pick<Recorder, 'note'>;
  readonly clock: Clock;
  readonly turns: Turns;
  /** One change after the other, so that the record says last what holds. */
  readonly changes: Mutex;
}

/**
 * `policy.trust`: the text of a project's policy takes effect: for new runs, and at their next call for those
 * that work there. It is the text that the operator has seen, whatever the file says by now.
 */
export function policyTrust(parts: TrustParts): ActionOf<'policy.trust'> {
  return operate(({ file, text }) => {
    assertProjectFile(file, parts.sight.home);
    return parts.changes.take(() => trust(parts, file, text));
  });
}

/** `policy.untrust`: the policy of a project has no effect any more, for no run. */
export function policyUntrust(parts: TrustParts): ActionOf<'policy.untrust'> {
  return operate(({ file }) => parts.changes.take(() => untrust(parts, file)));
}

async function trust(parts: TrustParts, file: string, text: string): Promise<JsonObject> {
  const { projects, clock } = parts;
  const was = projects.trusted.find(file);
  const bound = boundBy(parts, file);
  const policy = projects.trusted.trust({ file, text, sha256: sha256Hex(text), trustedMs: clock() });
  await eachRun(parts, (run) => {
    const place = projects.where(run);
    place.settle(file);
    // It is told once: a run that enters is told by entering.
    if (bound.has(run)) note(parts, run, policy, false);
    else for (const folder of place.folders) projects.enter(run, folder);
  });
  return {
    ...trustedData(policy),
    previous_sha256: was?.sha256 ?? null,
    runs: boundBy(parts, file).size,
  };
}

async function untrust(parts: TrustParts, file: string): Promise<JsonObject> {
  const { projects } = parts;
  const policy = projects.trusted.policy(file);
  const bound = boundBy(parts, file);
  if (policy === undefined || !projects.trusted.untrust(file))
    throw new SublError('not_found', `\`${file}\` is not trusted`, {
      help: '`sub policy show --projects` lists the policies of projects that are',
    });
  await eachRun(parts, (run) => {
    projects.where(run).settle(file);
    if (bound.has(run)) note(parts, run, policy, true);
  });
  return { ...trustedData(policy), runs: bound.size };
}

/** Each run of now, a few a turn: each that a policy binds is a write to the disk. */
function eachRun({ registry, turns }: TrustParts, tell: (run: Run) => void): Promise<void> {
  const left = registry.all().toReversed();
  return turns.work(() => {
    const run = left.pop();
    if (run !== undefined) tell(run);
    return left.length > 0;
  });
}

function boundBy({ projects, registry }: TrustParts, file: string): ReadonlySet<Run> {
  return new Set(registry.all().filter((run) => projects.of(run).some((one) => one.file === file)));
}

function note({ recorder, clock }: TrustParts, run: Run, policy: ProjectPolicy, isOver: boolean): void {
  if (run.state !== 'live') return;
  recorder.note({ entries: [projectPolicyEntry(run.id, policy, clock(), isOver)] });
}

function assertProjectFile(file: string, home: string): void {
  if (isProjectFile(file, home)) return;
  throw new SublError('usage', `\`${file}\` is no policy of a project`, {
    help: 'it is called `.subluminal.yaml`, and lies in a folder that is neither the home nor `/`',
  });
}
