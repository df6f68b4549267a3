import { userInfo } from 'node:os';
import { redact, type ClientName, type EnvName } from '@subluminal/core-types';
import { ciContext, podContext } from '@subluminal/ipc';
import type { RunLabels } from './run-labels.js';

const CLIENTS = ['claude', 'codex', 'headless', 'custom', 'unknown'] as const satisfies readonly ClientName[];
const ENVS = ['dev', 'ci', 'prod', 'unknown'] as const satisfies readonly EnvName[];
const MAX_LABEL = 256;

/**
 * The labels of a run that nobody attests, from the environment of the client that it belongs to. `SUB_HOME`
 * and `HOME` are not among them. A job of a CI system and a pod are known as `sub run` knows them.
 * `clientName` is the name of the client's process, `cwd` the folder that it works in.
 */
export function runLabels(env: NodeJS.ProcessEnv, clientName: string | undefined, cwd: string): RunLabels {
  const user = label(userInfo().username) ?? 'unknown';
  const read = (name: string): string | undefined => env[name] || undefined;
  const ci = ciContext(read);
  const client = CLIENTS.find((name) => name === env['SUB_CLIENT']);
  return {
    agentId: label(env['SUB_AGENT_ID']) ?? 'default',
    client: client ?? CLIENTS.find((name) => name === clientName && name !== 'headless') ?? 'unknown',
    env: ENVS.find((name) => name === env['SUB_ENV']) ?? (ci === undefined ? 'unknown' : 'ci'),
    principal: label(env['SUB_PRINCIPAL']) ?? user,
    workload: { user, repo_path: cwd.slice(0, 4096), ...podContext(read), ...ci },
    claimedRunId: label(env['SUB_RUN_ID']),
  };
}

/**
 * A text as the contracts take it: not empty, no control characters, no credential, at most 256 characters.
 */
function label(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const clean = redact(text.replaceAll(/\p{Cc}/gu, '')).text.slice(0, MAX_LABEL);
  return clean === '' ? undefined : clean;
}
