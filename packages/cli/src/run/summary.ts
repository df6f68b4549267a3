import { openLedgerReader } from '@subluminal/ledger';
import type { HomePaths } from '@subluminal/ipc';
import { numberAt, objectAt } from '@subluminal/core-types';
import { askedCounts, connectionCounts, runEnd, type ConnectionCounts } from '@subluminal/records';
import { unusualText } from '../record/unusual-text.js';

/** How a run ended, with its counters, as the ledger has it. */
export interface RunSummary {
  readonly status: string;
  readonly calls: number;
  /** Refused for a question to a person. */
  readonly asked: number;
  readonly blocked: number;
  readonly throttled: number;
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
    const asked = askedCounts(reader, ids, since).get(runId) ?? 0;
    return {
      status: last.code ?? '',
      calls: count('calls_total'),
      asked,
      blocked: count('calls_blocked') - asked,
      throttled: count('calls_throttled'),
      errors: count('errors_total'),
      durationMs: count('duration_ms'),
      unusual: unusualText(last.data),
      connections: connectionCounts(reader, ids, since).get(runId),
    };
  } finally {
    reader.close();
  }
}
