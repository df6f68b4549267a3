import { connectionRows, type ConnectionRows } from '../connections/connection-counts.js';
import type { ListingReader } from '../listings/kept-rows.js';
import { LiveCounts } from './live-counts.js';
import { refusalRows, type RefusalRows } from './refusal-counts.js';

/** Whatever is counted of the runs of one ledger, kept by a program that asks for it again and again. */
export interface RunCounts {
  readonly live: LiveCounts;
  readonly connections: ConnectionRows;
  readonly refusals: RefusalRows;
}

/** Counts nothing yet. */
export function runCounts(reader: ListingReader): RunCounts {
  return {
    live: new LiveCounts(),
    connections: connectionRows(reader),
    refusals: refusalRows(reader),
  };
}
