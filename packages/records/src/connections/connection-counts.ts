import type { LedgerReader, LedgerRow } from '@subluminal/ledger';
import { textAt } from '@subluminal/core-types';
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

/** Entries that are looked at; a run of more connections is counted from its newest ones. */
const MAX_ROWS = 20_000;
const PAGE = 1000;

/**
 * Counts the connections of runs, the oldest of which began at `sinceMs`, until `isOver` says that it is
 * enough. Runs without any are left out.
 */
export function connectionCounts(
  reader: Pick<LedgerReader, 'byAction'>,
  runIds: ReadonlySet<string>,
  sinceMs: number,
  isOver: () => boolean = () => false,
): ReadonlyMap<string, ConnectionCounts> {
  const counts = new Map<string, { total: number; refused: number; unlisted: number }>();
  let cursor: number | null = null;
  let left = MAX_ROWS;
  let isWhole = false;
  while (left > 0 && !isWhole) {
    const page: ReturnType<LedgerReader['byAction']> = reader.byAction(CONNECT, { limit: PAGE, cursor });
    for (const row of page.rows) {
      if (row.ts < sinceMs) isWhole = true;
      if (row.runId === null || !runIds.has(row.runId) || row.ts < sinceMs) continue;
      const count = counts.get(row.runId) ?? { total: 0, refused: 0, unlisted: 0 };
      counts.set(row.runId, count);
      add(count, row);
    }
    left -= PAGE;
    cursor = page.next;
    isWhole ||= cursor === null;
    if (isOver()) break;
  }
  const names = namesOf(reader, runIds, sinceMs, isOver);
  return new Map(
    [...new Set([...counts.keys(), ...names.keys()])].map((id) => {
      const count = counts.get(id) ?? { total: 0, refused: 0, unlisted: 0 };
      return [id, { ...count, names: names.get(id)?.size ?? 0, isWhole }];
    }),
  );
}

function namesOf(
  reader: Pick<LedgerReader, 'byAction'>,
  runIds: ReadonlySet<string>,
  sinceMs: number,
  isOver: () => boolean,
): ReadonlyMap<string, ReadonlySet<string>> {
  const names = new Map<string, Set<string>>();
  for (const { row, name } of refusedNames(reader, sinceMs, isOver)) {
    if (row.runId === null || !runIds.has(row.runId)) continue;
    const known = names.get(row.runId) ?? new Set();
    names.set(row.runId, known.add(name));
  }
  return names;
}

function add(count: { total: number; refused: number; unlisted: number }, row: LedgerRow): void {
  if (row.type === 'action_result' && textAt(row.data, 'outcome') === 'refused') count.refused += 1;
  if (row.type === 'action_rejected') {
    count.total += 1;
    count.refused += 1;
  }
  if (row.type !== 'action_pending') return;
  count.total += 1;
  if (connectionOf({ first: row, last: null })?.isListed === false) count.unlisted += 1;
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
