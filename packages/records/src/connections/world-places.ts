import { numberAt, redact, textAt } from '@subluminal/core-types';
import type { LedgerReader, LedgerRow } from '@subluminal/ledger';
import { CONNECT, connectionOf } from './connection.js';
import { destinationOf, NAME } from './destination.js';

/** The hosts that the worlds of a server asked for, as far as the record was looked at. */
export interface WorldPlaces {
  /** The worlds that were opened for it. */
  readonly worlds: number;
  /** Hosts and addresses that were reached, each with its connections, the last one first. */
  readonly reached: ReadonlyMap<string, number>;
  /** Those that were refused, and never reached. */
  readonly refused: ReadonlySet<string>;
  /** False where older entries were not looked at. */
  readonly isWhole: boolean;
}

const MAX_ROWS = 50_000;
const PAGE = 1000;
/** Programs can invent names. */
const MAX_HOSTS = 1024;

/** Reads off the ledger, from its newest entry on, where programs in worlds of that server connected. */
export function worldPlaces(reader: Pick<LedgerReader, 'byAction' | 'byType'>, server: string): WorldPlaces {
  const shown = redact(server).text;
  const reached = new Map<string, number>();
  const refused = new Set<string>();
  let worlds = 0;
  const wholes = [
    eachOf(
      (cursor) => reader.byType('world_begin', { limit: PAGE, cursor }),
      ({ data }) => {
        // One that another gateway serves again is the same world.
        if (textAt(data, 'server_name') === shown && numberAt(data, 'resumed') === undefined) worlds += 1;
      },
    ),
    eachOf(
      (cursor) => reader.byAction(CONNECT, { limit: PAGE, cursor }),
      (row) => {
        const connection = connectionOf({ first: row, last: null });
        if (connection?.via !== 'world' || connection.server !== shown) return;
        const host = connection.host.replace(/^\[|\]$/g, '');
        if (row.type === 'action_rejected') put(refused, host);
        else if (row.type === 'action_pending' && (reached.has(host) || reached.size < MAX_HOSTS))
          reached.set(host, (reached.get(host) ?? 0) + 1);
      },
    ),
    eachOf(
      (cursor) => reader.byAction(NAME, { limit: PAGE, cursor }),
      (row) => {
        if (row.type === 'action_rejected' && textAt(row.data, 'facts', 'server_name') === shown)
          put(refused, destinationOf(row));
      },
    ),
  ];
  const never = new Set([...refused].filter((host) => !reached.has(host)));
  return { worlds, reached, refused: never, isWhole: wholes.every(Boolean) };
}

function put(hosts: Set<string>, host: string): void {
  if (hosts.size < MAX_HOSTS) hosts.add(host);
}

/** Tells whether all entries were looked at. */
function eachOf(
  read: (cursor: number | null) => ReturnType<LedgerReader['byType']>,
  take: (row: LedgerRow) => void,
): boolean {
  let cursor: number | null = null;
  for (let left = MAX_ROWS; left > 0; left -= PAGE) {
    const page = read(cursor);
    for (const row of page.rows) take(row);
    cursor = page.next;
    if (cursor === null) return true;
  }
  return false;
}
