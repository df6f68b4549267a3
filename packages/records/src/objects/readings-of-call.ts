import { objectAt, textAt } from '@subluminal/core-types';
import type { LedgerReader, LedgerRow } from '@subluminal/ledger';
import { keptReadings } from '@subluminal/policy';
import { NO_KEYS, readCall, type Place, type Readings } from '@subluminal/readings';
import type { CallRecord } from '../record.js';
import { shownArgs } from './object.js';

/** Gives the places of this machine for a run that works in a folder. */
export type PlaceOf = (folder: string | undefined) => Place;

/**
 * The objects of a call: as its decision kept them, else as they are read from what is kept of its arguments,
 * without its links. Undefined where neither is there.
 */
export function readingsOfCall(
  reader: LedgerReader,
  { first, decision }: Pick<CallRecord, 'first' | 'decision'>,
  start: LedgerRow | undefined,
  placeOf: PlaceOf,
): Readings | undefined {
  const { tool } = first;
  if (tool === null || typeof tool === 'string') return undefined;
  const kept = keptReadings(objectAt(decision?.data ?? null, 'facts', 'readings') ?? undefined);
  if (kept !== undefined) return kept;
  const args = shownArgs(reader, first);
  if (args === undefined) return undefined;
  const folder = textAt(start?.data ?? null, 'workload', 'repo_path') || undefined;
  return readCall({ server: tool[0], tool: tool[1], args, keys: NO_KEYS }, placeOf(folder));
}
