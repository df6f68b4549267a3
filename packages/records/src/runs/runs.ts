import { listAt, numberAt, objectAt, textAt, type JsonObject } from '@subluminal/core-types';
import type { LedgerReader, LedgerRow, RunRows } from '@subluminal/ledger';
import { connectionCounts, type ConnectionCounts } from '../connections/connection-counts.js';
import { unusualCounts } from '../flags.js';
import { lastObject } from './last-object.js';
import { runCounts, type RunCounts } from './run-counts.js';
import { NO_REFUSALS, refusalCounts, type RefusalCounts } from './refusal-counts.js';

/** A run, as far as the ledger tells of it. */
export interface RunRecord extends RunRows {
  /** How it ended, or `RUNNING`. */
  readonly status: string;
  /** Its counters; of one that goes on so far. */
  readonly counts: JsonObject;
  /** Calls that were asked about, hinted, or ended it; `calls_blocked` counts them, too. */
  readonly refusals: RefusalCounts;
  /** Through the proxy; undefined where there were none. */
  readonly connections: ConnectionCounts | undefined;
  /** The object of its last call that has one. */
  readonly lastObject: string | null;
}

/** Puts together the records of runs. `counts`: what a program keeps that asks again and again. */
export function runRecords(
  reader: LedgerReader,
  runs: readonly RunRows[],
  counts: RunCounts = runCounts(reader),
): readonly RunRecord[] {
  const live = counts.live.of(
    reader,
    runs.filter(({ end }) => end === null).map(({ runId }) => runId),
  );
  const ids = new Set(runs.map(({ runId }) => runId));
  const since = Math.min(...runs.map(({ start }) => start.ts));
  const connections = connectionCounts(counts.connections, ids, since);
  const refusals = refusalCounts(counts.refusals, ids, since);
  return runs.map((run) => ({
    ...run,
    status: run.end?.code ?? 'RUNNING',
    counts: run.end === null ? { ...live.get(run.runId) } : objectAt(run.end.data, 'run', 'summary'),
    refusals: refusals.get(run.runId) ?? NO_REFUSALS,
    connections: connections.get(run.runId),
    lastObject: lastObject(reader, run.runId),
  }));
}

/** The record of one run; undefined where its beginning is not there. */
export function runRecord(reader: LedgerReader, runId: string): RunRecord | undefined {
  const start = runStart(reader, runId);
  return start && runRecords(reader, [{ runId, start, end: runEnd(reader, runId) ?? null }])[0];
}

/** The entry that began a run; undefined where it stands in a file that is not there. */
export function runStart(reader: LedgerReader, runId: string): LedgerRow | undefined {
  const [first] = reader.byRun(runId, { limit: 1, order: 'asc' }).rows;
  return first?.type === 'run_start' ? first : undefined;
}

/** The entry that ended a run; undefined for one that goes on, and for one that the ledger does not know. */
export function runEnd(reader: LedgerReader, runId: string): LedgerRow | undefined {
  const [last] = reader.byRun(runId, { limit: 1 }).rows;
  return last?.type === 'run_end' ? last : undefined;
}

/** The folder of its project, else the folder that it began in; null if it told neither. */
export function projectOf(start: JsonObject): string | null {
  return textAt(start, 'run', 'project') || textAt(start, 'workload', 'repo_path') || null;
}

/** The run for programs; the names are documented in docs/cli.md. */
export function runJson(run: RunRecord): JsonObject {
  const { runId, start, end, status, counts, connections } = run;
  const { data, ts } = start;
  const count = (name: string): number | null => numberAt(counts, name) ?? null;
  return {
    run_id: runId,
    agent_id: textAt(data, 'agent_id'),
    client: textAt(data, 'client'),
    env: textAt(data, 'env'),
    principal: textAt(data, 'principal') || null,
    attested: textAt(data, 'attested') === 'true',
    project: projectOf(data),
    projects: [...listAt(data, 'run', 'projects')],
    status,
    started_at: new Date(ts).toISOString(),
    ended_at: end === null ? null : new Date(end.ts).toISOString(),
    duration_ms: count('duration_ms'),
    calls_total: count('calls_total'),
    calls_allowed: count('calls_allowed'),
    calls_blocked: count('calls_blocked'),
    calls_asked: run.refusals.asked,
    calls_throttled: count('calls_throttled'),
    errors_total: count('errors_total'),
    connections_total: connections?.total ?? 0,
    connections_refused: connections?.refused ?? 0,
    connections_unlisted: connections?.unlisted ?? 0,
    unusual: Object.fromEntries(unusualCounts(end?.data ?? {})),
    last_object: run.lastObject,
  };
}
