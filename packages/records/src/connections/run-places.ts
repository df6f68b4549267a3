import { textAt } from '@subluminal/core-types';
import type { LedgerReader, LedgerRow } from '@subluminal/ledger';
import { CONNECT, connectionOf } from './connection.js';
import { destinationOf, NAME } from './destination.js';

/** A place that a run asked for; `port` is null for a name that was refused before any was known. */
export interface RunPlace {
  readonly host: string;
  readonly port: number | null;
  passed: number;
  refused: number;
  /** Of the connections that have ended; undefined: none of them has. */
  up: number | undefined;
  down: number | undefined;
}

/** Where a run went. */
export interface RunPlaces {
  /** Those that were refused most come first, then those that were asked for most. */
  readonly places: readonly RunPlace[];
  /** Nothing was left out: no older entries, and no further places. */
  readonly isWhole: boolean;
}

/** The entries of a run: its first one, and its last one if it has ended. */
export interface OfRun {
  readonly runId: string;
  readonly first: number;
  readonly last: number | null;
}

const MAX_ROWS = 20_000;
const PAGE = 1000;
/** Agents can invent names. */
const MAX_PLACES = 2000;

/** Reads off the ledger where a run went, and where it was not let, until `isOver` says that it is enough. */
export function runPlaces(
  reader: Pick<LedgerReader, 'byAction'>,
  of: OfRun,
  isOver: () => boolean = () => false,
): RunPlaces {
  const found = new Found();
  const ends = new Map<number, LedgerRow>();
  const areWhole = [
    eachOf(reader, CONNECT, of, isOver, (row) => {
      // An end comes before what it ends: the newest is read first.
      if (row.type === 'action_result' && row.ref !== null) ends.set(row.ref, row);
      else found.connection(row, ends.get(row.seq) ?? null);
    }),
    eachOf(reader, NAME, of, isOver, (row) => {
      if (textAt(row.data, 'error', 'code') === 'not_allowed') found.name(destinationOf(row));
    }),
  ];
  return { places: found.places, isWhole: areWhole.every(Boolean) && !found.isFull };
}

/** Tells whether all entries were looked at. */
function eachOf(
  reader: Pick<LedgerReader, 'byAction'>,
  action: string,
  { runId, first, last }: OfRun,
  isOver: () => boolean,
  take: (row: LedgerRow) => void,
): boolean {
  let cursor: number | null = last;
  for (let left = MAX_ROWS; left > 0; left -= PAGE) {
    const page: ReturnType<LedgerReader['byAction']> = reader.byAction(action, { limit: PAGE, cursor });
    for (const row of page.rows) {
      if (row.seq < first) return true;
      if (row.runId === runId) take(row);
    }
    cursor = page.next;
    if (cursor === null) return true;
    if (isOver()) return false;
  }
  return false;
}

class Found {
  readonly #places = new Map<string, RunPlace>();
  isFull = false;

  get places(): readonly RunPlace[] {
    return [...this.#places.values()].toSorted(
      (a, b) => b.refused - a.refused || b.passed - a.passed || a.host.localeCompare(b.host),
    );
  }

  connection(first: LedgerRow, last: LedgerRow | null): void {
    const connection = connectionOf({ first, last });
    const place = connection && this.#at(connection.host, connection.port);
    if (connection === undefined || place === undefined) return;
    const isRefused = first.type === 'action_rejected' || textAt(last?.data ?? null, 'outcome') === 'refused';
    place[isRefused ? 'refused' : 'passed'] += 1;
    const { bytesUp, bytesDown } = connection;
    if (bytesUp !== undefined) place.up = (place.up ?? 0) + bytesUp;
    if (bytesDown !== undefined) place.down = (place.down ?? 0) + bytesDown;
  }

  name(host: string): void {
    const place = this.#at(host, null);
    if (place !== undefined) place.refused += 1;
  }

  #at(host: string, port: number | null): RunPlace | undefined {
    const key = `${host} ${port ?? ''}`;
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    this.isFull ||= this.#places.size >= MAX_PLACES;
    if (this.isFull) return undefined;
    const made: RunPlace = { host, port, passed: 0, refused: 0, up: undefined, down: undefined };
    this.#places.set(key, made);
    return made;
  }
}
