import { numberAt, objectAt, textAt, type JsonObject } from '@subluminal/core-types';
import { callCounts, type CallCounts, type LedgerReader, type RunRows } from '@subluminal/ledger';
import { unusualCounts } from './flags.js';
import type { ConnectionCounts } from './connections/connection-counts.js';

/** How a run ended, or that it has not. */
export function runStatus(run: RunRows): string {
  return run.end?.code ?? 'RUNNING';
}

/** The counters of a run (Interface Pack §1.8); of one that goes on so far. */
export function runCounts(run: RunRows, live: LiveCounts): JsonObject {
  return run.end === null ? { ...live.get(run.runId) } : objectAt(run.end.data, 'run', 'summary');
}

/** The calls so far of the runs that go on, counted from the ledger. */
export type LiveCounts = ReadonlyMap<string, CallCounts>;

export function liveCounts(reader: LedgerReader, runs: readonly RunRows[]): LiveCounts {
  const runIds = runs.filter(({ end }) => end === null).map(({ runId }) => runId);
  if (runIds.length === 0) return new Map();
  const question = { runIds, since: Number.MAX_SAFE_INTEGER, actions: [], types: [] };
  return new Map(reader.sweep(question).runs.map((tally) => [tally.runId, callCounts(tally)]));
}

/** The run for programs; the names are documented in docs/cli.md. */
export function runJson(run: RunRows, live: LiveCounts, connections?: ConnectionCounts): JsonObject {
  const { data, ts } = run.start;
  const summary = runCounts(run, live);
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
