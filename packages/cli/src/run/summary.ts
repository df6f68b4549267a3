import { openLedgerReader } from '@subluminal/ledger';
import type { HomePaths } from '@subluminal/ipc';
import { numberAt, objectAt } from '@subluminal/core-types';
import {
  connectionCounts,
  connectionRows,
  NO_REFUSALS,
  refusalCounts,
  refusalRows,
  runEnd,
  type ConnectionCounts,
  type RefusalCounts,
} from '@subluminal/records';
import { unusualText } from '../record/unusual-text.js';

/** How a run ended, with its counters, as the ledger has it. */
export interface RunSummary {
  readonly status: string;
  readonly calls: number;
  readonly refusals: RefusalCounts;
  /** Refused with no more than that. */
  readonly refused: number;
  readonly slowed: number;
  readonly errors: number;
  readonly durationMs: number;
  /** Through the proxy; undefined where there were none. */
  readonly connections: ConnectionCounts | undefined;
  /** Its flags, in words. Undefined for none. */
  readonly unusual: string | undefined;
}

/**
 * The summary of a run that has ended; undefined when the ledger does not hold its end. Errors of the reader.
 */
export function summaryOf(home: HomePaths, runId: string): RunSummary | undefined {
  const reader = openLedgerReader(home.ledgerDb);
  try {
    const last = runEnd(reader, runId);
    if (last === undefined) return undefined;
    const summary = objectAt(last.data, 'run', 'summary');
    const count = (name: string): number => numberAt(summary, name) ?? 0;
    const [ids, since] = [new Set([runId]), last.ts - count('duration_ms')];
    const refusals = refusalCounts(refusalRows(reader), ids, since).get(runId) ?? NO_REFUSALS;
    return {
      status: last.code ?? '',
      calls: count('calls_total'),
      refusals,
      refused: count('calls_blocked') - refusals.asked - refusals.hinted - refusals.ended,
      slowed: count('calls_throttled'),
      errors: count('errors_total'),
      durationMs: count('duration_ms'),
      unusual: unusualText(last.data),
      connections: connectionCounts(connectionRows(reader), ids, since).get(runId),
    };
  } finally {
    reader.close();
  }
}
