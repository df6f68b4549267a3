import type { Socket } from 'node:net';
import { isSublError } from '@subluminal/core-types';
import type { Behind } from './behind.js';
import { farewell } from './carry/farewell.js';
import { carryThrough } from './carry/through.js';
import { Denial } from './denial.js';
import { denyHttp, TLS_ALERT } from './deny.js';
import { looksLikeHttp } from './judge/first-bytes.js';
import { reach } from './judge/reach.js';
import type { RunLink } from './run-link.js';
import { ClientGone, ClientInput } from './client/client-input.js';

/** How long a client that is refused may take to show which language it speaks. */
const WORDS_MS = 40;
const HANDSHAKE = 0x16;

/** Where a program of a world wants to go. */
export interface WorldDestination {
  readonly worldId: string;
  readonly serverName: string | undefined;
  /** The name behind the address that it dialled, or that address. */
  readonly host: string;
  readonly port: number;
  /**
   * Counts bytes of the world before they go on; gives for how many milliseconds nothing more should. Throws
   * `budget_spent`.
   */
  readonly spend: (bytes: number) => number;
}

/** Serves a program that heeds no proxy: it has connected, and its first words are for its destination. */
export async function serveWorld(
  client: Socket,
  behind: Behind,
  link: RunLink,
  { spend, ...to }: WorldDestination,
): Promise<void> {
  try {
    const leave = link.enter();
    try {
      const reached = await reach(behind, link, { ...to, via: 'world' }, client);
      const { port } = to;
      await carryThrough(behind, link, {
        client,
        reached,
        port,
        answer: undefined,
        rest: undefined,
        spend: (bytes) => inDenials(() => spend(bytes)),
      });
    } finally {
      leave();
    }
  } catch (error) {
    if (error instanceof ClientGone) client.destroy();
    else if (error instanceof Denial || isSublError(error))
      await refuse(client, Denial.of(error), behind.limits.lingerMs);
    else throw error;
  }
}

/** Has the refusals of a world be those of a connection. */
function inDenials<Value>(work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    throw Denial.of(error);
  }
}

/** Tells the client why, in its own language where it has one that can be told. */
async function refuse(client: Socket, denial: Denial, lingerMs: number): Promise<void> {
  const input = new ClientInput(client);
  const timer = setTimeout(() => input.fail(new ClientGone('it says nothing')), WORDS_MS);
  try {
    const first = await input.read();
    farewell(client, first === undefined ? undefined : inItsWords(first, denial), lingerMs);
  } catch (error) {
    if (!(error instanceof ClientGone)) throw error;
    client.resetAndDestroy();
  } finally {
    clearTimeout(timer);
  }
}

function inItsWords(first: Buffer, denial: Denial): Buffer | undefined {
  if (first[0] === HANDSHAKE) return TLS_ALERT;
  return looksLikeHttp(first) ? denyHttp(denial) : undefined;
}
