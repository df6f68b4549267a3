import type { ProcessIdentity } from '@subluminal/core-types';
import type { HomePaths } from '../home/paths.js';
import { parted } from '../process/environments.js';
import { SYSTEM_PROCESSES } from '../process/table.js';
import { ancestors } from '../process/identity.js';
import { namedRuns } from './named-runs.js';
import { findTicketOfSession, holdersOfSession } from './session-run.js';
import { findTicket, readTicket, ticketOfRun } from './ticket.js';

/**
 * The live run that another process is inside of: it holds the run's ticket, or an ancestor of it does, or
 * its session was created there, or an environment around it names the run. Undefined outside of every run.
 * `named`: the runs that environments around it name. Errors: those of `readTicket`.
 */
export function runAround(
  paths: HomePaths,
  asker: ProcessIdentity,
  named: readonly string[] = runsNamedBy(asker),
): string | undefined {
  const { pid } = asker;
  const ticket =
    readTicket(paths, asker) ??
    findTicket(paths, pid)?.ticket ??
    findTicketOfSession(paths, SYSTEM_PROCESSES, pid)?.ticket;
  if (ticket !== undefined) return ticket.run_id;
  return named.find((id) => ticketOfRun(paths, id) !== undefined);
}

/** The runs that an environment around another process names, whether or not they live, or ever did. */
export function runsNamedBy({ pid }: ProcessIdentity): readonly string[] {
  const own = Object.fromEntries(SYSTEM_PROCESSES.environment(pid).map(parted));
  return namedRuns(own, SYSTEM_PROCESSES, pid);
}

/** A run that goes on, and the process that it ends with. */
export interface HeldRun {
  readonly runId: string;
  readonly holder: ProcessIdentity;
}

/**
 * The same by what the gateway knows of its runs: a ticket is a file that an agent can remove. Of these runs
 * the first that the process, an ancestor of it, its session or an environment around it belongs to.
 */
export function runAmong(
  live: readonly HeldRun[],
  asker: ProcessIdentity,
  named: readonly string[],
): string | undefined {
  if (live.length === 0) return undefined;
  const { pid } = asker;
  const above = [asker, ...ancestors(pid)];
  const around = new Set(
    holdersOfSession(
      live.map(({ holder }) => holder),
      SYSTEM_PROCESSES,
      pid,
    ),
  );
  return live.find(
    ({ runId, holder }) =>
      named.includes(runId) ||
      around.has(holder) ||
      above.some((one) => one.pid === holder.pid && one.start === holder.start),
  )?.runId;
}
