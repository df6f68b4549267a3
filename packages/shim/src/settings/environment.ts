import { userInfo } from 'node:os';
import { redact, type ClientName, type EnvName } from '@subluminal/core-types';
import type { RunLabels } from '@subluminal/mcp';

const CLIENTS = ['claude', 'codex', 'headless', 'custom', 'unknown'] as const satisfies readonly ClientName[];
const ENVS = ['dev', 'ci', 'prod', 'unknown'] as const satisfies readonly EnvName[];
const MAX_LABEL = 256;

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
