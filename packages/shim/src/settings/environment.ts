import { userInfo } from 'node:os';
import { redact, type ClientName, type EnvName, type Workload } from '@subluminal/core-types';

const CLIENTS = ['claude', 'codex', 'headless', 'custom', 'unknown'] as const satisfies readonly ClientName[];
const ENVS = ['dev', 'ci', 'prod', 'unknown'] as const satisfies readonly EnvName[];
const MAX_LABEL = 256;

/** How a run that a shim opens is labelled. Labels only: a repository's config can set all of it, so no rule trusts it. */
export interface RunLabels {
  readonly agentId: string;
  readonly client: ClientName;
  readonly env: EnvName;
  readonly principal: string;
  readonly workload: Workload;
  /** `SUB_RUN_ID`: a run that the client claims to be in, although it has no ticket for it. */
  readonly claimedRunId: string | undefined;
}

/**
 * What a shim reads from its environment (Interface Pack §5); no other file of this package does, except to hand it on to
 * the MCP server whole. `SUB_HOME` and `HOME` are not among it. `parentName` is the name of the process that started us.
 */
export function runLabels(env: NodeJS.ProcessEnv, parentName: string | undefined, cwd: string): RunLabels {
  const user = label(userInfo().username) ?? 'unknown';
  const client = CLIENTS.find((name) => name === env['SUB_CLIENT']);
  return {
    agentId: label(env['SUB_AGENT_ID']) ?? 'default',
    client: client ?? CLIENTS.find((name) => name === parentName && name !== 'headless') ?? 'unknown',
    env: ENVS.find((name) => name === env['SUB_ENV']) ?? 'unknown',
    principal: label(env['SUB_PRINCIPAL']) ?? user,
    workload: { user, repo_path: cwd.slice(0, 4096) },
    claimedRunId: label(env['SUB_RUN_ID']),
  };
}

/** A text as the contracts take it: not empty, no control characters, no credential, at most 256 characters. */
function label(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const clean = redact(text.replaceAll(/\p{Cc}/gu, '')).text.slice(0, MAX_LABEL);
  return clean === '' ? undefined : clean;
}
