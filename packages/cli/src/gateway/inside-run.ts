import { isSublError, type Ticket } from '@subluminal/core-types';
import { findTicket, findTicketOfSession, type HomePaths, namedRuns, ticketOfRun } from '@subluminal/ipc';
import type { Call } from '../program/call.js';

/**
 * A process that was started before the end of its run belongs to it, even when it asks only afterwards.
 * Clocks may differ by this much.
 */
const AFTER_END_MS = 2000;

/** The run that a process is inside of. */
export interface InsideRun {
  /** Undefined where only this can be told, that a run may be around. */
  readonly runId: string | undefined;
  /** Undefined where the run is over, or where its ticket was taken away. */
  readonly ticket: Ticket | undefined;
  /** Said of a run that had ended before this process asked. */
  readonly isOver?: boolean;
}

/**
 * The run that this process is inside of (ARCHITECTURE.md, "Keys, credentials, runs"). An ancestor holds the
 * run's ticket, or an environment around this process names the run while it lives, or the session of this
 * process was created in it. Undefined outside of every run. Errors: those of `findTicket`, and those of a
 * ledger that cannot be read where an environment names a run.
 */
export async function insideRun(call: Call): Promise<InsideRun | undefined> {
  const { home, session } = call;
  const holder = findTicket(home) ?? findTicketOfSession(home);
  if (holder !== undefined) return { runId: holder.ticket.run_id, ticket: holder.ticket };
  const named = namedRuns(session.environment.all);
  if (named.length === 0) return undefined;
  const startedMs = session.now() - process.uptime() * 1000;
  const found = await firstLive(home, named, startedMs);
  return found === undefined ? undefined : { ...found, ticket: ticketOfRun(home, found.runId) };
}

/**
 * The first of these runs that this home's ledger knows and that had not ended when this process was started.
 */
async function firstLive(
  home: HomePaths,
  runIds: readonly string[],
  startedMs: number,
): Promise<{ readonly runId: string; readonly isOver: boolean } | undefined> {
  // Loaded late: outside of every run nothing of the ledger is needed.
  const { openLedgerReader } = await import('@subluminal/ledger');
  try {
    const reader = openLedgerReader(home.ledgerDb);
    try {
      for (const runId of runIds) {
        const [last] = reader.byRun(runId, { limit: 1 }).rows;
        if (last === undefined) continue;
        const isOver = last.type === 'run_end';
        if (!isOver || startedMs <= last.ts + AFTER_END_MS) return { runId, isOver };
      }
      return undefined;
    } finally {
      reader.close();
    }
  } catch (error) {
    // Without a ledger the home has no runs: those that are named are another home's.
    if (isSublError(error, 'ledger_missing')) return undefined;
    throw error;
  }
}
