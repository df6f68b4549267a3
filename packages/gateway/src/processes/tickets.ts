import { readdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { hasCode, isAlive, type HomePaths } from '@subluminal/ipc';

const TICKET = /^([0-9]{1,10})-([0-9]{1,20})$/;

/**
 * Removes the tickets of processes that are gone. A ticket stays as long as its process lives, also when its
 * run has ended: what is below that process must not open a fresh run in its place. ARCHITECTURE.md, "Keys,
 * credentials, runs".
 */
export function sweepTickets(paths: HomePaths): number {
  let removed = 0;
  for (const name of names(paths.ticketsDir)) {
    const [, pid, start] = TICKET.exec(name) ?? [];
    if (pid === undefined || start === undefined || isAlive({ pid: Number(pid), start })) continue;
    try {
      unlinkSync(join(paths.ticketsDir, name));
      removed += 1;
    } catch (error) {
      // ENOENT: its owner was faster. The others: it is a folder, which lets nobody into a run.
      if (!hasCode(error, 'ENOENT', 'EISDIR', 'EPERM')) throw error;
    }
  }
  return removed;
}

/** Whoever writes the next ticket makes the folder again. */
function names(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
}
