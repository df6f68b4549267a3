import { userInfo } from 'node:os';
import { redact, type ClientName, type EnvName, type Workload } from '@subluminal/core-types';
import { labelOf } from '@subluminal/ipc';
import { basename } from 'node:path';
import type { Environment } from '../program/env.js';

/** The agent, client and place of a run, as its events tell them. Labels only: no rule trusts them. */
export interface RunIdentity {
  readonly agentId: string;
  readonly client: ClientName;
  readonly env: EnvName;
  readonly principal: string;
  readonly workload: Workload;
}

const CLIENTS = ['claude', 'codex', 'headless', 'custom'] as const satisfies readonly ClientName[];
const ENVS = ['dev', 'ci', 'prod'] as const satisfies readonly EnvName[];

/** The labels of the command line; the rest is seen. */
export interface IdentityFlags {
  readonly agent: string | undefined;
  readonly client: ClientName | undefined;
  readonly env: EnvName | undefined;
}

/**
 * The identity of a run of `command` in `cwd`. On a desktop it is the user and the folder, in CI the job as
 * well, and in Kubernetes the pod. `env` is `ci` in CI and `dev` elsewhere. The variables of a runner
 * (`SUB_AGENT_ID`, `SUB_CLIENT`, `SUB_ENV`) go before what is seen, and a flag goes before both.
 */
export function runIdentity(
  flags: IdentityFlags,
  command: string,
  environment: Environment,
  cwd: string,
): RunIdentity {
  const user = userInfo().username;
  const said = (name: string): string | undefined => environment.all[name];
  const program = basename(command).replace(/\.(?:exe|cmd|mjs|js)$/, '');
  return {
    // A ticket and the variables of a run keep it: a credential is no name.
    agentId:
      flags.agent === undefined
        ? (labelOf(said('SUB_AGENT_ID')) ?? redact(program).text)
        : redact(flags.agent).text,
    client:
      flags.client ??
      CLIENTS.find((name) => name === said('SUB_CLIENT')) ??
      clientOf(program, environment.ci !== undefined),
    env:
      flags.env ??
      ENVS.find((name) => name === said('SUB_ENV')) ??
      (environment.ci === undefined ? 'dev' : 'ci'),
    principal: labelOf(environment.principal) ?? redact(user).text,
    workload: { user, repo_path: cwd, ...environment.pod, ...environment.ci },
  };
}

/** The variables that a run's processes find. */
export function identityVariables(
  runId: string,
  identity: Omit<RunIdentity, 'workload'>,
): Record<string, string> {
  return {
    SUB_RUN_ID: runId,
    SUB_AGENT_ID: identity.agentId,
    SUB_ENV: identity.env,
    SUB_CLIENT: identity.client,
    SUB_PRINCIPAL: identity.principal,
  };
}

function clientOf(program: string, headless: boolean): ClientName {
  if (program === 'claude' || program === 'codex') return program;
  return headless ? 'headless' : 'custom';
}
