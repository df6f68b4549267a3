import type { LedgerRow } from '@subluminal/ledger';
import { textAt } from '@subluminal/core-types';
import { KeptRows, type ListingReader } from '../listings/kept-rows.js';
import { CONNECT, connectionOf } from './connection.js';
import { refusedNames } from './refused-names.js';

/** The connections of one run. `isWhole`: there were not so many that older ones were left out. */
export interface ConnectionCounts {
  readonly total: number;
  /** Refused, before or after they were made. */
  readonly refused: number;
  /** Made without an entry of the allowlist. */
  readonly unlisted: number;
  /** Different names that were refused to its worlds, which came to no connection. */
  readonly names: number;
  readonly isWhole: boolean;
}

interface Added {
  readonly total: number;
  readonly refused: number;
  readonly unlisted: number;
}

/** The entries of a ledger that connections are counted by. */
export interface ConnectionRows {
  readonly connections: KeptRows<Added>;
  /** The name that was refused; null for an entry that refused none. */
  readonly names: KeptRows<string | null>;
}

/** The connections of a ledger, to be counted. */
export function connectionRows(reader: Pick<ListingReader, 'byAction' | 'size'>): ConnectionRows {
  return {
    connections: new KeptRows(reader, (page) => reader.byAction(CONNECT, page), addedBy),
    names: refusedNames(reader),
  };
}

/**
 * Counts the connections of runs, the oldest of which began at `sinceMs`, until `isOver` says that it is
 * enough. Runs without any are left out; of too many connections the newest are counted.
 */
export function connectionCounts(
  { connections, names }: ConnectionRows,
  runIds: ReadonlySet<string>,
  sinceMs: number,
  isOver: () => boolean = () => false,
): ReadonlyMap<string, ConnectionCounts> {
  const counts = new Map<string, Added>();
  const { isWhole, rows } = connections.since(sinceMs, isOver);
  for (const { fact, runId, ts } of rows) {
    if (runId === null || !runIds.has(runId) || ts < sinceMs) continue;
    const { refused, total, unlisted } = counts.get(runId) ?? NOTHING;
    counts.set(runId, {
      total: total + fact.total,
      refused: refused + fact.refused,
      unlisted: unlisted + fact.unlisted,
    });
  }
  const named = new Map<string, Set<string>>();
  for (const { fact, runId, ts } of names.since(sinceMs, isOver).rows)
    if (fact !== null && runId !== null && runIds.has(runId) && ts >= sinceMs)
      named.set(runId, (named.get(runId) ?? new Set()).add(fact));
  return new Map(
    [...new Set([...counts.keys(), ...named.keys()])].map((id) => [
      id,
      { ...(counts.get(id) ?? NOTHING), names: named.get(id)?.size ?? 0, isWhole },
    ]),
  );
}

const NOTHING: Added = { total: 0, refused: 0, unlisted: 0 };

function addedBy(row: LedgerRow): Added {
  switch (row.type) {
    case 'action_result':
      return textAt(row.data, 'outcome') === 'refused' ? { ...NOTHING, refused: 1 } : NOTHING;
    case 'action_rejected':
      return { ...NOTHING, total: 1, refused: 1 };
    case 'action_pending':
      return {
        ...NOTHING,
        total: 1,
        unlisted: connectionOf({ first: row, last: null })?.isListed === false ? 1 : 0,
      };
    default:
      return NOTHING;
  }
}

/** The counts in words: `12 connections (1 refused, 3 unlisted), 2 names refused`. */
export function countsText({ total, refused, unlisted, names, isWhole }: ConnectionCounts): string {
  const parts = [
    refused === 0 ? '' : `${refused} refused`,
    unlisted === 0 ? '' : `${unlisted} unlisted`,
  ].filter((part) => part !== '');
  const what = `${isWhole ? '' : 'at least '}${total} ${total === 1 ? 'connection' : 'connections'}`;
  const connections = parts.length === 0 ? what : `${what} (${parts.join(', ')})`;
  if (names === 0) return connections;
  const refusals = `${names} ${names === 1 ? 'name' : 'names'} refused`;
  return total === 0 ? refusals : `${connections}, ${refusals}`;
}
