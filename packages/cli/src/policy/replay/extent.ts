import type { LedgerReader } from '@subluminal/ledger';
import { findRun } from '@subluminal/records';

/** The flags that say which calls are meant. */
export interface ExtentFlags {
  readonly run: string | undefined;
  readonly since: number | undefined;
}

/** Which entries have to be read for the calls that are asked for. */
export interface Extent {
  readonly after: number;
  readonly runId: string | undefined;
  /** Undefined for all runs. */
  readonly runs: ReadonlyMap<string, number> | undefined;
  readonly sinceMs: number;
}

/**
 * Runs are read from their start, since their limits began there; only the calls that are asked for are
 * counted.
 */
export function extentOf(flags: ExtentFlags, reader: LedgerReader): Extent {
  const { run } = flags;
  const runId = run === undefined ? undefined : findRun(reader, run);
  const { since } = flags;
  const sinceMs = since ?? Number.NEGATIVE_INFINITY;
  if (runId !== undefined) return { after: 0, runId, runs: undefined, sinceMs };
  if (since === undefined) return { after: 0, runId, runs: undefined, sinceMs };
  const runs = reader.runsWithCallsSince(since);
  const first = runs.size === 0 ? reader.size + 1 : Math.min(...runs.values());
  return { after: Math.max(0, first - 1), runId, runs, sinceMs };
}
