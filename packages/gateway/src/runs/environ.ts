import { readdirSync, readFileSync } from 'node:fs';
import type { ProcessIdentity } from '@subluminal/core-types';
import { hasCode, processIdentity } from '@subluminal/ipc';

/** The variable that marks everything that a shim started. */
export const TOKEN_VARIABLE = 'SUB_UPSTREAM_TOKEN';

/** What the system tells of its processes. */
export interface ProcessTable {
  pids(): readonly number[];
  /** `NAME=value` each; empty for a process that ended or belongs to somebody else. */
  environment(pid: number): readonly string[];
  identity(pid: number): ProcessIdentity | undefined;
}

/**
 * Every process of ours whose environment carries the token, whoever its parent is now: a process keeps the environment
 * that it was started with through forks, new sessions and double forks. One that was started with a cleared environment
 * is not found. Linux only; elsewhere nothing is found.
 */
export function processesWithToken(token: string, table: ProcessTable = SYSTEM): ProcessIdentity[] {
  const wanted = `${TOKEN_VARIABLE}=${token}`;
  const carries = (pid: number): boolean => table.environment(pid).includes(wanted);
  return table.pids().flatMap((pid) => {
    if (pid <= 1 || pid === process.pid || !carries(pid)) return [];
    const identity = table.identity(pid);
    // Between the two looks the number may have gone to a process that is none of ours to end.
    return identity !== undefined && carries(pid) ? [identity] : [];
  });
}

const SYSTEM: ProcessTable = {
  pids() {
    if (process.platform !== 'linux') return [];
    return readdirSync('/proc').flatMap((name) => (/^[0-9]+$/.test(name) ? [Number(name)] : []));
  },
  environment(pid) {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
    } catch (error) {
      // ENOENT and ESRCH: it ended meanwhile. EACCES and EPERM: not a process of ours, so nothing that a shim started.
      if (hasCode(error, 'ENOENT', 'ESRCH', 'EACCES', 'EPERM')) return [];
      throw error;
    }
  },
  identity: processIdentity,
};
