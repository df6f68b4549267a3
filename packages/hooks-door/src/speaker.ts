import { readlinkSync } from 'node:fs';
import type { ProcessIdentity } from '@subluminal/core-types';
import { ancestors, processName } from '@subluminal/ipc';

/** The names of the programs that have hooks. */
const CLIENTS: ReadonlySet<string> = new Set(['claude', 'codex']);

/**
 * Whether a process speaks for a client that started it: a program below a client is not that client. A client
 * below another one speaks for itself. A program that calls itself `claude` is taken for one: it can write
 * into the record what it likes about itself, and is allowed nothing by it.
 */
export function isBelowClient(process: ProcessIdentity): boolean {
  if (CLIENTS.has(processName(process.pid) ?? '')) return false;
  const own = programOf(process.pid);
  return ancestors(process.pid).some(
    ({ pid }) => CLIENTS.has(processName(pid) ?? '') && (own === undefined || programOf(pid) !== own),
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
