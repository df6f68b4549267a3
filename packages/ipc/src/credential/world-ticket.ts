import { SublError, type Ticket } from '@subluminal/core-types';
import { readPrivateJson } from './key-file.js';
import { ticketOf } from './shape.js';

/** Where a world has the ticket of its run. Outside of a world only root makes a file there. */
const PLACE = '/run/subluminal-run/ticket';

/**
 * The ticket of the run in whose world this process is; undefined outside of one. In a world no ancestor
 * tells: its processes have numbers of their own. `home_unsafe`, or `key_missing` when it is no ticket.
 */
export function readWorldTicket(place = PLACE): Ticket | undefined {
  const value = readPrivateJson(place);
  if (value === undefined) return undefined;
  const ticket = ticketOf(value);
  if (ticket === undefined) throw new SublError('key_missing', `\`${place}\` does not hold a ticket`);
  return ticket;
}
