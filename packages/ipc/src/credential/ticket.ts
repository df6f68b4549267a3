import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ProcessIdentity, SublError, type Ticket } from '@subluminal/core-types';
import { hasCode, isMissing } from '../home/check.js';
import type { HomePaths } from '../home/paths.js';
import { ancestors } from '../process/identity.js';
import { type ProcessTable, SYSTEM_PROCESSES } from '../process/table.js';
import { readPrivateJson } from './key-file.js';
import { ticketOf } from './shape.js';

/** The name of a ticket's file. */
const NAME = /^([0-9]{1,10})-([0-9]{1,20})$/;

/** A ticket and the process that it was written for: everything below that one belongs to its run. */
export interface FoundTicket {
  readonly holder: ProcessIdentity;
  readonly ticket: Ticket;
}

/**
 * Where the ticket of a process stands: the start time keeps a later process of that number from inheriting
 * it.
 */
export function ticketPath(paths: HomePaths, holder: ProcessIdentity): string {
  return join(paths.ticketsDir, `${holder.pid}-${holder.start}`);
}

/**
 * The ticket of one process, undefined when it has none. `home_unsafe`, or `key_missing` when the file is no
 * ticket.
 */
export function readTicket(paths: HomePaths, holder: ProcessIdentity): Ticket | undefined {
  const path = ticketPath(paths, holder);
  const value = readPrivateJson(path);
  if (value === undefined) return undefined;
  const ticket = ticketOf(value);
  if (ticket === undefined) throw new SublError('key_missing', `\`${path}\` does not hold a ticket`);
  return ticket;
}

/**
 * The ticket of the nearest ancestor of this process that has one (ARCHITECTURE.md, "Keys, credentials,
 * runs"). A ticket that cannot be trusted is an error, never a reason to look further up: the process below
 * it would leave its run. Errors of `readTicket`.
 */
export function findTicket(paths: HomePaths, pid: number = process.pid): FoundTicket | undefined {
  for (const holder of ancestors(pid)) {
    const ticket = readTicket(paths, holder);
    if (ticket !== undefined) return { holder, ticket };
  }
  return undefined;
}

/**
 * The ticket of a live run, whichever process holds it; undefined where no living process does. Errors: those
 * of `readTicket`.
 */
export function ticketOfRun(paths: HomePaths, runId: string): Ticket | undefined {
  for (const holder of ticketHolders(paths)) {
    const ticket = readTicket(paths, holder);
    if (ticket?.run_id === runId) return ticket;
  }
  return undefined;
}

/** The living processes that hold a ticket. */
export function ticketHolders(
  paths: HomePaths,
  processes: ProcessTable = SYSTEM_PROCESSES,
): readonly ProcessIdentity[] {
  return names(paths.ticketsDir).flatMap((name) => {
    const [, pid, start] = NAME.exec(name) ?? [];
    if (pid === undefined || start === undefined) return [];
    const { identity } = processes.facts(Number(pid)) ?? {};
    return identity?.start === start ? [identity] : [];
  });
}

function names(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/**
 * Writes the ticket of a process, whole or not at all. False when that process has one already, which then
 * stands: of several writers exactly one gets true. `home_missing` when there is no home.
 */
export function writeTicket(paths: HomePaths, holder: ProcessIdentity, ticket: Ticket): boolean {
  makeTicketFolder(paths);
  const temporary = join(paths.ticketsDir, `.${randomBytes(12).toString('hex')}`);
  writeFileSync(temporary, JSON.stringify(ticket), { mode: 0o600, flag: 'wx' });
  try {
    linkSync(temporary, ticketPath(paths, holder));
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    unlinkSync(temporary);
  }
}

/** Removes the ticket of a process; nothing happens when it has none. */
export function removeTicket(paths: HomePaths, holder: ProcessIdentity): void {
  try {
    unlinkSync(ticketPath(paths, holder));
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** Makes the folder of the tickets, but never the home around it: `home_missing` when there is none. */
export function makeTicketFolder(paths: HomePaths): void {
  for (const folder of [paths.runDir, paths.ticketsDir]) {
    try {
      mkdirSync(folder, { mode: 0o700 });
    } catch (error) {
      if (isMissing(error)) {
        throw new SublError('home_missing', `there is no home at \`${paths.home}\``, { cause: error });
      }
      if (!hasCode(error, 'EEXIST')) throw error;
    }
  }
}
