import { readdirSync, readFileSync } from 'node:fs';
import type { ProcessIdentity } from '@subluminal/core-types';
import { processIdentity } from '@subluminal/ipc';

/** The variable that marks everything that a shim started. */
export const TOKEN_VARIABLE = 'SUB_UPSTREAM_TOKEN';

/**
 * Every process of ours whose environment carries the token, whoever its parent is now: a process keeps the environment
 * that it was started with through forks, new sessions and double forks. One that was started with a cleared environment
 * is not found. Linux only; elsewhere nothing is found.
 */
export function processesWithToken(token: string): ProcessIdentity[] {
  if (process.platform !== 'linux') return [];
  const wanted = `${TOKEN_VARIABLE}=${token}`;
  return readdirSync('/proc').flatMap((name) => {
    const pid = /^[0-9]+$/.test(name) ? Number(name) : 0;
    if (pid <= 1 || pid === process.pid || !environmentOf(pid).includes(wanted)) return [];
    return processIdentity(pid) ?? [];
  });
}

function environmentOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
  } catch (error) {
    // ENOENT and ESRCH: it ended meanwhile. EACCES and EPERM: not a process of ours, so nothing that a shim started.
    if (
      error instanceof Error &&
      'code' in error &&
      ['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(String(error.code))
    ) {
      return [];
    }
    throw error;
  }
}
