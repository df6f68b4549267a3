import { readlinkSync } from 'node:fs';
import type { ProcessIdentity } from '@subluminal/core-types';
import { ancestors, processName } from '@subluminal/ipc';

/** The names of the programs that have hooks. */
const CLIENTS: ReadonlySet<string> = new Set(['claude', 'codex']);

/**
 * Tells whether a process stands below a client that it is not: a program below a client is not that client.
 * A client below another one speaks for itself. A program that calls itself `claude` is taken for one: it can
 * write into the record what it likes about itself, and is allowed nothing by it.
 */
export function isBelowClient({ pid }: ProcessIdentity): boolean {
  if (CLIENTS.has(processName(pid) ?? '')) return false;
  const own = programOf(pid);
  return ancestors(pid).some(
    ({ pid: above }) =>
      CLIENTS.has(processName(above) ?? '') && (own === undefined || programOf(above) !== own),
  );
}

/** The file that a process runs; undefined where it is gone, or the system does not tell. */
function programOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/exe`);
  } catch {
    return undefined;
  }
}
