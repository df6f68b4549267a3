import type { KnownServer } from '../book/book.js';
import type { Judged } from './judged.js';
import type { PinLimits } from '../book/limits.js';
import type { OpenList } from './pages.js';

/**
 * Tells whether a list, as far as it has come, is the first of a client that can do something else than
 * those before, and may add tools: a server offers some tools only to clients that can use them. Pinned
 * tools have to stand in it as they were approved. The client says what it can do, not the server, so a
 * server is given no second first list whenever it likes: the first page that adds a tool uses this one up.
 */
export function isFirstOfClient(
  known: KnownServer,
  { client, list, complete }: Judged,
  { clients, definitionBytes }: PinLimits,
): boolean {
  const { addedHere } = list;
  if (known.clients.size === 0 || (!complete && addedHere === undefined)) return false;
  const hasBegun = addedHere !== undefined && addedHere.size > 0;
  if (!hasBegun && (known.clients.size >= clients || known.clients.has(client))) return false;
  if (list.ambiguous.size > 0) return false;
  // A tool that waits for a review goes on waiting, whichever client is told of it next.
  if ([...known.held.keys()].some((name) => list.tools.has(name) && addedHere?.has(name) !== true))
    return false;
  return [...list.tools.values()].every(({ name, hash, bytes }) => {
    const pinned = known.pins.get(name);
    return bytes <= definitionBytes && (pinned === undefined || pinned.hash === hash);
  });
}

/**
 * Pinned tools that a complete list has no longer, or has again. Clients that can do different things may ask
 * one server: each one's list is then compared with the pins of its own first list. That it lacks another's
 * tools says nothing.
 */
export function compareList(
  known: KnownServer,
  list: OpenList,
  client: string,
): { vanished: string[]; returned: string[] } {
  const vanished: string[] = [];
  const returned: string[] = [];
  const own = firstPinsOf(known, client);
  const others = [...known.clients.keys()].filter((one) => one !== client).length;
  for (const [name, { missing, since }] of known.pins) {
    if (others > 0 && since !== own) continue;
    const there = list.tools.has(name);
    if (there && missing) returned.push(name);
    if (!there && !missing) vanished.push(name);
  }
  return { vanished, returned };
}

/**
 * The `since` of what a client's first list pinned. Pins from before clients were told apart belong to the
 * first client that came, and the least of them are those of the server's first list.
 */
function firstPinsOf({ clients, pins }: KnownServer, client: string): number | undefined {
  const own = clients.get(client);
  const [first] = clients.keys();
  if (own !== 0 || client !== first) return own;
  const least = Math.min(...[...pins.values()].map(({ since }) => since));
  return [...clients.values()].includes(least) ? own : least;
}
