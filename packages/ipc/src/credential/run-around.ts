import type { ProcessIdentity } from '@subluminal/core-types';
import type { HomePaths } from '../home/paths.js';
import { parted } from '../process/environments.js';
import { SYSTEM_PROCESSES } from '../process/table.js';
import { namedRuns } from './named-runs.js';
import { findTicketOfSession } from './session-run.js';
import { findTicket, readTicket, ticketOfRun } from './ticket.js';

/**
 * The live run that another process is inside of: it holds the run's ticket, or an ancestor of it does, or
 * its session was created there, or an environment around it names the run. Undefined outside of every run.
 * Errors: those of `readTicket`.
 */
export function runAround(paths: HomePaths, asker: ProcessIdentity): string | undefined {
  const { pid } = asker;
  const ticket =
    readTicket(paths, asker) ??
    findTicket(paths, pid)?.ticket ??
    findTicketOfSession(paths, SYSTEM_PROCESSES, pid)?.ticket;
  if (ticket !== undefined) return ticket.run_id;
  const own = Object.fromEntries(SYSTEM_PROCESSES.environment(pid).map(parted));
  return namedRuns(own, SYSTEM_PROCESSES, pid).find((id) => ticketOfRun(paths, id) !== undefined);
}
