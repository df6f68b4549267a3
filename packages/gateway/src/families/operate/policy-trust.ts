import { sha256Hex, SublError } from '@subluminal/core-types';
import type { EntryInput } from '@subluminal/ledger';
import type { ActionOf } from '../../pipeline/steps.js';
import { enterFolders, type EnterParts } from '../../projects/enter.js';
import { isProjectFile } from '../../projects/folders.js';
import { projectPolicyEntry, trustedData, type ProjectPolicy } from '../../projects/project-policy.js';
import type { Run } from '../../runs/run.js';
import type { RunRegistry } from '../../runs/registry.js';
import { operate } from './operate.js';

export interface TrustParts extends EnterParts {
  /** The home of the account. */
  readonly home: string;
  readonly registry: Pick<RunRegistry, 'all'>;
}

/**
 * `policy.trust`: the text of a project's policy takes effect: for new runs, and at their next call for those
 * that work there. It is the text that the operator has seen, whatever the file says by now.
 */
export function policyTrust(parts: TrustParts): ActionOf<'policy.trust'> {
  return operate(({ file, text }) => {
    assertProjectFile(file, parts.home);
    const { projects, clock } = parts;
    const was = projects.find(file);
    const bound = new Set(boundBy(parts, file));
    const policy = projects.trust({ file, text, sha256: sha256Hex(text), trustedMs: clock() });
    for (const run of parts.registry.all()) {
      run.projects.settle(file);
      // It is told once: a run that enters is told by entering.
      if (bound.has(run)) note(parts, run, policy, false);
      else for (const folder of run.projects.folders) enterFolders(parts, run, [folder]);
    }
    return {
      ...trustedData(policy),
      previous_sha256: was?.sha256 ?? null,
      runs: boundBy(parts, file).length,
    };
  });
}

/** `policy.untrust`: the policy of a project has no effect any more, for no run. */
export function policyUntrust(parts: TrustParts): ActionOf<'policy.untrust'> {
  return operate(({ file }) => {
    const { projects } = parts;
    const policy = projects.policy(file);
    const bound = boundBy(parts, file);
    if (policy === undefined || projects.untrust(file) === undefined)
      throw new SublError('not_found', `\`${file}\` is not trusted`, {
        help: '`sub policy show --projects` lists the policies of projects that are',
      });
    for (const run of parts.registry.all()) run.projects.settle(file);
    for (const run of bound) note(parts, run, policy, true);
    return { ...trustedData(policy), runs: bound.length };
  });
}

function boundBy({ projects, registry }: TrustParts, file: string): readonly Run[] {
  return registry.all().filter((run) => projects.of(run).some((one) => one.file === file));
}

function note({ recorder, clock }: TrustParts, run: Run, policy: ProjectPolicy, isOver: boolean): void {
  if (run.state !== 'live') return;
  const entry: EntryInput = projectPolicyEntry(run.id, policy, clock(), isOver);
  recorder.note({ entries: [entry] });
}

function assertProjectFile(file: string, home: string): void {
  if (isProjectFile(file, home)) return;
  throw new SublError('usage', `\`${file}\` is no policy of a project`, {
    help: 'it is called `.subluminal.yaml`, and lies in a folder that is neither the home nor `/`',
  });
}
