import type { LedgerReader } from '@subluminal/ledger';
import { findRun, runEnd, runPlaces, runStart } from '@subluminal/records';
import { SublError } from '@subluminal/core-types';
import type { RunPlaces } from '../../protocol/runs.js';

const MOST = 200;
const PATIENCE_MS = 400;

/** Where a run went, as far as patience goes. @throws SublError `not_found` */
export function placesOf(reader: LedgerReader, named: string, now: () => number): RunPlaces {
  const until = now() + PATIENCE_MS;
  const runId = findRun(reader, named);
  const start = runStart(reader, runId);
  if (start === undefined)
    throw new SublError('not_found', `the beginning of the run \`${runId}\` is not there`);
  const last = runEnd(reader, runId)?.seq ?? null;
  const { places, isWhole } = runPlaces(reader, { runId, first: start.seq, last }, () => now() > until);
  return {
    places: places.slice(0, MOST).map(({ up, down, ...place }) => ({
      ...place,
      up: up ?? null,
      down: down ?? null,
    })),
    more: Math.max(0, places.length - MOST),
    is_whole: isWhole,
  };
}
