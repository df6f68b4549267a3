import type { LedgerReader, LedgerRow } from '@subluminal/ledger';
import { textAt } from '@subluminal/core-types';
import { CONNECT, connectionOf } from './connection.js';
import { isOfDoctor } from './of-doctor.js';
import { refusedNames } from './refused-names.js';

/** A place that connections asked for which no entry of the allowlist lets through as it was asked for. */
export interface SeenPlace {
  readonly host: string;
  readonly port: number;
  /** `host:port`. */
  readonly place: string;
  /** Something else than TLS or HTTP is spoken there: its entry has to say `tcp`. */
  isRaw: boolean;
  /** It was asked for through a tunnel; by requests without TLS. */
  isTunnelled: boolean;
  isPlain: boolean;
  /** It led to a private address when it was last resolved: its entry has to say so. */
  isPrivate: boolean | undefined;
  passed: number;
  refused: number;
  /** Epoch ms. */
  lastMs: number;
  /** Of those runs, as far as their beginning is there. */
  readonly runIds: Set<string>;
}

/** The places that were seen. */
export interface SeenPlaces {
  /** Those that were asked for last come first. */
  readonly places: readonly SeenPlace[];
  /** Places that were refused for an address that only `--private` lets through, as `host:port`. */
  readonly misled: ReadonlyMap<string, Pick<SeenPlace, 'host' | 'port'>>;
  /** The kind of address of each place that no entry lets through, by `host:port`. */
  readonly never: ReadonlyMap<string, string>;
  /** Names that were refused to worlds, of which no port is known, the newest first. */
  readonly names: ReadonlySet<string>;
  /** The entry below which nothing was looked at; null where everything was. */
  readonly next: number | null;
}

const MAX_ROWS = 50_000;
const PAGE = 1000;
/** Agents can invent names. */
const MAX_PLACES = 10_000;
const MAX_RUNS = 32;

/** Reads off the ledger, from its newest entry on, where connections went unlisted, or would have gone. */
export function seenPlaces(reader: Pick<LedgerReader, 'byAction' | 'holds' | 'entry' | 'size'>): SeenPlaces {
  const found = new Map<string, SeenPlace>();
  const misled = new Map<string, Pick<SeenPlace, 'host' | 'port'>>();
  const never = new Map<string, string>();
  /** Ends that were met before the entries that they end, by those. */
  const ends = new Map<number, LedgerRow>();
  let cursor: number | null = null;
  for (let left = MAX_ROWS; left > 0; left -= PAGE) {
    const page: ReturnType<LedgerReader['byAction']> = reader.byAction(CONNECT, { limit: PAGE, cursor });
    for (const row of page.rows) {
      if (!takeRefusedAddress(misled, never, row)) take(found, ends, row);
    }
    cursor = page.next;
    if (cursor === null) break;
  }
  const names = new Set<string>();
  // The newest first.
  for (const { fact } of refusedNames(reader).since(0).rows.toReversed())
    if (fact !== null && names.size < MAX_PLACES) names.add(fact);
  const places = [...found.values()].toSorted((a, b) => b.lastMs - a.lastMs);
  return { places, misled, never, names, next: cursor };
}

function take(found: Map<string, SeenPlace>, ends: Map<number, LedgerRow>, row: LedgerRow): void {
  if (row.type === 'action_result' && row.ref !== null) ends.set(row.ref, row);
  else if (row.type === 'action_pending') takeOpened(found, row, ends.get(row.seq));
  else if (row.type === 'action_rejected' && textAt(row.data, 'error', 'code') === 'not_allowed')
    placeOf(found, row, (place) => (place.refused += 1));
}

/** Whether it was refused for its address, or would have been with an entry. */
function takeRefusedAddress(
  misled: Map<string, Pick<SeenPlace, 'host' | 'port'>>,
  never: Map<string, string>,
  row: LedgerRow,
): boolean {
  if (row.type !== 'action_rejected') return false;
  const isRefused = textAt(row.data, 'error', 'code') === 'address_refused';
  const connection = connectionOf({ first: row, last: null });
  if (connection === undefined) return isRefused;
  const { host, port, place, verdict, isPrivate } = connection;
  if (verdict !== '' && !isPrivate) {
    if (never.size < MAX_PLACES) never.set(place, verdict);
    return true;
  }
  if (isRefused && misled.size < MAX_PLACES) misled.set(place, { host, port });
  return isRefused;
}

function takeOpened(found: Map<string, SeenPlace>, row: LedgerRow, end: LedgerRow | undefined): void {
  const connection = connectionOf({ first: row, last: null });
  if (connection === undefined) return;
  const refusedRaw = textAt(end?.data ?? null, 'error', 'code') === 'protocol_refused';
  if (connection.isListed && !refusedRaw) return;
  placeOf(found, row, (place) => {
    if (refusedRaw) place.refused += 1;
    else place.passed += 1;
    const carried = textAt(end?.data ?? null, 'bytes_down');
    const isOpen = connection.via !== 'http' && textAt(end?.data ?? null, 'sni') === '';
    place.isRaw ||= refusedRaw || (isOpen && carried !== '' && carried !== '0');
  });
}

function placeOf(found: Map<string, SeenPlace>, row: LedgerRow, count: (place: SeenPlace) => void): void {
  const connection = connectionOf({ first: row, last: null });
  if (connection === undefined) return;
  const { host, port, place: text } = connection;
  if (isOfDoctor(row)) return;
  let place = found.get(text);
  if (place === undefined) {
    if (found.size >= MAX_PLACES) return;
    const runIds = new Set<string>();
    const kinds = { isRaw: false, isTunnelled: false, isPlain: false, isPrivate: undefined };
    place = { host, port, place: text, ...kinds, passed: 0, refused: 0, lastMs: row.ts, runIds };
    found.set(text, place);
  }
  // Of a name that was refused nothing is known.
  if (row.type === 'action_pending' || connection.isByAddress) place.isPrivate ??= connection.isPrivate;
  if (connection.via === 'http') place.isPlain = true;
  else place.isTunnelled = true;
  if (row.runId !== null && place.runIds.size < MAX_RUNS) place.runIds.add(row.runId);
  count(place);
}

/** The command that lets such a connection through. */
export function allowCommand({
  place,
  isRaw,
  isPrivate,
}: Pick<SeenPlace, 'place' | 'isRaw' | 'isPrivate'>): string {
  // Brackets are a pattern to some shells.
  const word = /^[A-Za-z0-9._:-]+$/.test(place) ? place : `'${place.replaceAll("'", '')}'`;
  return `sub allow add ${word}${isRaw ? ' --protocol tcp' : ''}${isPrivate === true ? ' --private' : ''}`;
}
