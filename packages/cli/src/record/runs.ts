import type { JsonObject } from '@subluminal/core-types';
import type { RunRows } from '@subluminal/ledger';
import { numberAt, objectAt, textAt } from '../output/fields.js';
import { unusualCounts } from './flags.js';
import type { ConnectionCounts } from './connection-counts.js';

/** How a run ended, or that it has not. */
export function runStatus(run: RunRows): string {
  return run.end?.code ?? 'RUNNING';
}

/** The counters of a run that has ended (Interface Pack §1.8). */
export function runSummary(run: RunRows): JsonObject {
  return objectAt(run.end?.data ?? null, 'run', 'summary');
}

/** The run for programs; the names are documented in docs/cli.md. */
export function runJson(run: RunRows, connections?: ConnectionCounts): JsonObject {
  const { data, ts } = run.start;
  const summary = runSummary(run);
  const count = (name: string): number | null => numberAt(summary, name) ?? null;
  return {
    run_id: run.runId,
    agent_id: textAt(data, 'agent_id'),
    client: textAt(data, 'client'),
    env: textAt(data, 'env'),
    principal: textAt(data, 'principal') || null,
    attested: textAt(data, 'attested') === 'true',
    status: runStatus(run),
    started_at: new Date(ts).toISOString(),
    ended_at: run.end === null ? null : new Date(run.end.ts).toISOString(),
    duration_ms: count('duration_ms'),
    calls_total: count('calls_total'),
    calls_allowed: count('calls_allowed'),
    calls_blocked: count('calls_blocked'),
    calls_throttled: count('calls_throttled'),
    errors_total: count('errors_total'),
    connections_total: connections?.total ?? 0,
    connections_refused: connections?.refused ?? 0,
    connections_unlisted: connections?.unlisted ?? 0,
    unusual: Object.fromEntries(unusualCounts(run.end?.data ?? {})),
  };
}
