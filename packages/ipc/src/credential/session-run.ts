import type { ProcessIdentity } from '@subluminal/core-types';
import type { HomePaths } from '../home/paths.js';
import type { ProcessFacts } from '../process/identity.js';
import { type ProcessTable, SYSTEM_PROCESSES } from '../process/table.js';
import { type FoundTicket, readTicket, ticketHolders } from './ticket.js';

/** How far up a process's parents are followed. */
const MAX_PARENTS = 64;

/** Where a process stands: its session, with those of its ancestors that are of it, itself first. */
interface Seat {
  readonly session: number;
  readonly line: readonly ProcessFacts[];
  readonly leader: ProcessFacts | undefined;
  readonly controlGroup: string;
}

/**
 * The run that this process has left by giving up its parents: it stands in a session that was created inside
 * of the run. A session that is as old as the run proves nothing, and neither does a control group that both
 * are in. So a terminal, a multiplexer or a login of the operator is never taken for the agent's. Undefined
 * where nothing is proved, and on systems other than Linux.
 */
export function findTicketOfSession(
  paths: HomePaths,
  processes: ProcessTable = SYSTEM_PROCESSES,
  pid: number = process.pid,
): FoundTicket | undefined {
  for (const holder of holdersOfSession(ticketHolders(paths, processes), processes, pid)) {
    const ticket = readTicket(paths, holder);
    if (ticket !== undefined) return { holder, ticket };
  }
  return undefined;
}

/** The holders of those runs inside of which the session of this process was created, by the same rule. */
export function holdersOfSession(
  holders: readonly ProcessIdentity[],
  processes: ProcessTable = SYSTEM_PROCESSES,
  pid: number = process.pid,
): readonly ProcessIdentity[] {
  const seat = seatOf(processes, pid);
  if (seat === undefined) return [];
  return holders.filter((holder) => wasCreatedInside(seat, holder, processes));
}

function seatOf(processes: ProcessTable, pid: number): Seat | undefined {
  const own = processes.facts(pid);
  // 0: the session was made outside of this container, before anything in it.
  if (own === undefined || own.session === 0) return undefined;
  const line = [own, ...parentsOf(processes, own).filter(({ session }) => session === own.session)];
  const controlGroup = processes.controlGroup(pid);
  if (controlGroup === undefined) return undefined;
  return { session: own.session, line, leader: processes.facts(own.session), controlGroup };
}

function wasCreatedInside(seat: Seat, holder: ProcessIdentity, processes: ProcessTable): boolean {
  const { session, line, leader, controlGroup } = seat;
  if (processes.controlGroup(holder.pid) !== controlGroup) return false;
  const isOlder = (facts: ProcessFacts): boolean => Number(facts.identity.start) < Number(holder.start);
  if (line.some(isOlder)) return false;
  if (leader === undefined) {
    // The maker of the session is gone, and no process of it is as old as the run.
    return !processes.pids().some((pid) => {
      const facts = processes.facts(pid);
      return facts !== undefined && facts.session === session && isOlder(facts);
    });
  }
  if (isOlder(leader)) return false;
  const parents = parentsOf(processes, leader);
  if (parents.some(({ identity }) => identity.pid === holder.pid)) return true;
  // An adopted process keeps the control group that it was born in; one that is born has its parent's.
  const adopter = processes.controlGroup(leader.parent);
  return adopter !== undefined && adopter !== controlGroup;
}

function parentsOf(processes: ProcessTable, { parent }: ProcessFacts): ProcessFacts[] {
  const found: ProcessFacts[] = [];
  for (let pid = parent; pid > 0 && found.length < MAX_PARENTS;) {
    const facts = processes.facts(pid);
    if (facts === undefined) break;
    found.push(facts);
    pid = facts.parent;
  }
  return found;
}
