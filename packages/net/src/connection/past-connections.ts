import { numberAt } from '@subluminal/core-types';
import type { LedgerReader, LedgerRow } from '@subluminal/ledger';
import type { PastConnection } from './run-traffic.js';

/** How long a beginning counts. */
const MINUTE_MS = 60_000;
const PAGE = 1000;

/** What is read. */
export interface PastQuestion {
  readonly reader: Pick<LedgerReader, 'byAction'>;
  /** The runs that go on, with their starts, epoch ms. */
  readonly runs: ReadonlyMap<string, number>;
  readonly now: number;
  /** Ends count as well: their bytes are limited. */
  readonly countsBytes: boolean;
}

/**
 * The connections of runs that go on, newest first: those that began within the last minute and, where bytes
 * are limited, the ends of all. No further back than is needed. A clock that went back ends the look too
 * early by as much.
 */
export function* pastConnections({
  reader,
  runs,
  now,
  countsBytes,
}: PastQuestion): Generator<PastConnection> {
  if (runs.size === 0) return;
  const recent = now - MINUTE_MS;
  const since = countsBytes ? Math.min(recent, ...runs.values()) : recent;
  let cursor: number | null = null;
  do {
    const page = reader.byAction('net.connect', { limit: PAGE, ...(cursor === null ? {} : { cursor }) });
    for (const row of page.rows) {
      if (row.ts < since) return;
      const past = pastOf(row, recent);
      if (past !== undefined && runs.has(past.runId)) yield past;
    }
    cursor = page.next;
  } while (cursor !== null);
}

function pastOf({ type, runId, ts, data }: LedgerRow, recent: number): PastConnection | undefined {
  if (runId === null) return undefined;
  if (type === 'action_pending') return ts < recent ? undefined : { runId, ts, bytes: undefined };
  if (type !== 'action_result') return undefined;
  return { runId, ts, bytes: (numberAt(data, 'bytes_up') ?? 0) + (numberAt(data, 'bytes_down') ?? 0) };
}
