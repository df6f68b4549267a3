import { readProxyToken, readRunToken } from '@subluminal/core-types';
import { environmentsAround } from '../process/environments.js';
import { UPSTREAM_TOKEN_VARIABLE } from '../process/family.js';
import { type ProcessTable, SYSTEM_PROCESSES } from '../process/table.js';
import { PROXY_NAMES } from '../proxy/variables.js';

const RUN_ID = /^[0-9A-HJKMNP-TV-Z]{26}$/;
const OF_A_SERVER = /^([0-9A-HJKMNP-TV-Z]{26})_/;
/** A process that names more runs than can stand inside of one another names them for nothing. */
const MAX_RUNS = 16;

/**
 * The runs that a process, this one if none is named, was told to be part of, by its own environment, an
 * ancestor's, or that of the leader of its session: their ids, tokens, and proxies. The caller has to find
 * out whether a run of that name lives. `env` is the process's own environment.
 */
export function namedRuns(
  env: Readonly<NodeJS.ProcessEnv>,
  processes: ProcessTable = SYSTEM_PROCESSES,
  pid: number = process.pid,
): readonly string[] {
  const runs = new Set<string>();
  for (const [name, value] of environmentsAround(env, processes, pid).flat()) {
    const run = runNamedBy(name, value);
    if (run !== undefined && runs.size < MAX_RUNS) runs.add(run);
  }
  return [...runs];
}

/** The run that one variable names; undefined for any other variable. */
function runNamedBy(name: string, value: string): string | undefined {
  if (name === 'SUB_RUN_ID') return RUN_ID.test(value) ? value : undefined;
  if (name === 'SUB_HTTP_TOKEN') return readRunToken(value)?.runId;
  if (name === UPSTREAM_TOKEN_VARIABLE) return OF_A_SERVER.exec(value)?.[1];
  if (!PROXY_NAMES.has(name) || !URL.canParse(value)) return undefined;
  return readProxyToken(new URL(value).password)?.runId;
}
