import { textAt } from '@subluminal/core-types';
import type { EntryType, LedgerReader } from '@subluminal/ledger';
import { connectionCounts, connectionRows } from '@subluminal/records';
import type { Coverage } from '../../protocol/health.js';

/** The newest runs, by which it is told; and the entries of one type that are looked at for them. */
const RUNS = 50;
const MAX_ROWS = 10_000;
const PAGE = 1000;
const PATIENCE_MS = 400;

/**
 * By which ways the newest runs reached the gateway, by their clients. It is what was seen: whether a run did
 * something besides is in no ledger. Older entries are not looked at where patience ends.
 */
export function coverage(reader: LedgerReader, now: () => number): Coverage {
  const until = now() + PATIENCE_MS;
  let isCut = false;
  const isOver = (): boolean => (isCut ||= now() > until);
  const { rows: runs } = reader.runs({ limit: RUNS });
  const [first, since] = [
    Math.min(...runs.map(({ start }) => start.seq)),
    Math.min(...runs.map(({ start }) => start.ts)),
  ];
  const told = (type: EntryType): RunsTold => runsTold(reader, type, first, isOver);
  const [hooks, servers, worlds] = [told('hook_event'), told('upstream_begin'), told('world_begin')];
  const ids = new Set(runs.map(({ runId }) => runId));
  const connections =
    runs.length === 0 ? new Map() : connectionCounts(connectionRows(reader), ids, since, isOver);
  const clients = new Map<
    string,
    { runs: number; hooks: number; servers: number; worlds: number; net: number }
  >();
  for (const { runId, start } of runs) {
    const name = textAt(start.data, 'client');
    const client = clients.get(name) ?? { runs: 0, hooks: 0, servers: 0, worlds: 0, net: 0 };
    clients.set(name, client);
    client.runs += 1;
    client.hooks += hooks.ids.has(runId) ? 1 : 0;
    client.servers += servers.ids.has(runId) ? 1 : 0;
    client.worlds += worlds.ids.has(runId) ? 1 : 0;
    client.net += connections.has(runId) ? 1 : 0;
  }
  return {
    runs: runs.length,
    clients: [...clients].map(([client, counts]) => ({ client, ...counts })),
    is_whole: !isCut && [hooks, servers, worlds, ...connections.values()].every(({ isWhole }) => isWhole),
  };
}

/** The runs that have an entry of a type; `isWhole`: all entries since then were looked at. */
interface RunsTold {
  readonly ids: ReadonlySet<string>;
  readonly isWhole: boolean;
}

function runsTold(reader: LedgerReader, type: EntryType, first: number, isOver: () => boolean): RunsTold {
  const ids = new Set<string>();
  let cursor: number | null = null;
  for (let left = MAX_ROWS; left > 0; left -= PAGE) {
    const page: ReturnType<LedgerReader['byType']> = reader.byType(type, { limit: PAGE, cursor });
    for (const { runId, seq } of page.rows) {
      if (seq < first) return { ids, isWhole: true };
      if (runId !== null) ids.add(runId);
    }
    cursor = page.next;
    if (cursor === null) return { ids, isWhole: true };
    if (isOver()) break;
  }
  return { ids, isWhole: false };
}
