import { environmentsAround } from '../process/environments.js';
import { type ProcessTable, SYSTEM_PROCESSES } from '../process/table.js';
import { homePaths } from './paths.js';

/**
 * The folders that `SUB_HOME` names in the environments around this process, as absolute paths. One a
 * process.
 */
export function namedHomes(
  env: Readonly<NodeJS.ProcessEnv>,
  processes: ProcessTable = SYSTEM_PROCESSES,
): readonly string[] {
  const given = environmentsAround(env, processes, process.pid).flatMap((variables) => {
    const value = variables.find(([name]) => name === 'SUB_HOME')?.[1] ?? '';
    return value === '' ? [] : [homePaths(value).home];
  });
  return [...new Set(given)];
}
