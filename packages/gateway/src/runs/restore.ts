import { SERVICE_ACTIONS, isSublError } from '@subluminal/core-types';
import { isAlive } from '@subluminal/ipc';
import type { EntryInput, Ledger, LedgerReader, LedgerRow } from '@subluminal/ledger';
import type { Clock } from '../clock.js';
import { unreportedEndEntry } from '../calls/entries.js';
import type { Logger } from '../logging/logger.js';
import { interruptedEntry } from '../recording/entries.js';
import type { Recorder } from '../recording/recorder.js';
import type { AnomalyDetector } from '../security/anomaly-detector.js';
import { RATE_WINDOW_MS, type RateLimiter } from '../security/rate-limiter.js';
import type { LiveRuns } from '../store/live-runs.js';
import type { UpstreamStore } from '../store/upstreams.js';
import { ENROLMENT_WINDOW_MS, type EnrolmentLimit } from './enrolments.js';
import type { RunLifecycle } from './lifecycle.js';
import type { RunRegistry } from './registry.js';
import { openCallOf, pendingOf, runOf, textOf } from './rows.js';
import type { Run } from './run.js';

/** What a start reads and restores. */
export interface RestoreParts {
  readonly ledger: Pick<Ledger, 'danglingPendings'>;
  readonly reader: LedgerReader;
  readonly recorder: Recorder;
  readonly registry: RunRegistry;
  readonly liveRuns: LiveRuns;
  readonly upstreams: UpstreamStore;
  readonly lifecycle: RunLifecycle;
  readonly limiter: RateLimiter;
  readonly enrolments: EnrolmentLimit;
  readonly detector: Pick<AnomalyDetector, 'restore'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The message on what a stop or a crash of the gateway cut off. */
const CUT_OFF = 'the gateway stopped before the end of the call was reported';

/** Entries that are appended at once while things are closed. */
const CHUNK = 500;

/**
 * Brings back what the ledger says was going on. A run goes on while its holder lives. A pending service action is
 * closed as interrupted and never executed again. A call that was allowed stays open only while its shim lives, which
 * is the one that executes it and may still report its end; any other is closed. Windows count what they had counted:
 * ending the gateway refills nothing. ARCHITECTURE.md, "The pipeline" and "Policy".
 */
export async function restoreState(parts: RestoreParts): Promise<void> {
  const { ledger, registry, lifecycle, clock, log } = parts;
  restoreRuns(parts);
  parts.reader.release();
  const shims = new Set(
    parts.upstreams.all().flatMap((one) => (isAlive(one.shim) ? [`${one.runId} ${one.shimId}`] : [])),
  );
  const now = clock();
  const closing = ledger.danglingPendings().flatMap((row) => {
    if (row.type === 'action_pending') return [interruptedEntry({ ...pendingOf(row), ts: now })];
    const open = openCallOf(row);
    const run = row.runId === null ? undefined : registry.live(row.runId);
    if (run !== undefined && shims.has(`${run.id} ${open.shimId}`)) {
      run.openCalls.set(open.callId, open);
      return [];
    }
    if (run !== undefined) run.counters.errors_total += 1;
    return row.runId === null ? [] : [unreportedEndEntry(row.runId, open, now, CUT_OFF)];
  });
  for (let at = 0; at < closing.length; at += CHUNK) {
    await Promise.all(closing.slice(at, at + CHUNK).map((entry) => close(parts, entry)));
  }
  for (const run of registry.all().filter(({ holder }) => !isAlive(holder))) {
    await lifecycle.end(run, { status: run.attested ? 'CANCELLED' : 'SUCCEEDED', cause: 'restart' });
  }
  restoreWindows(parts, now);
  log.info('state restored', { runs: registry.size, closed: closing.length });
}

/** Closes one pending entry. */
async function close({ recorder, log }: RestoreParts, entry: EntryInput): Promise<void> {
  try {
    await recorder.append({ entries: [entry] });
  } catch (error) {
    // Its run was cut off with an end before it: nothing may follow, and verify counts it as open.
    if (!isSublError(error, 'run_ended')) throw error;
    log.warn('a pending entry of an ended run stays open', { run: entry.runId, type: entry.type });
  }
}

function restoreRuns({ reader, registry, liveRuns }: RestoreParts): void {
  for (const id of liveRuns.all()) {
    const [start] = reader.byRun(id, { limit: 1, order: 'asc' }).rows;
    const [last] = reader.byRun(id, { limit: 1, order: 'desc' }).rows;
    // Its beginning was never recorded, so nobody got its key; or its end was, and only the index is behind.
    if (start?.type !== 'run_start' || last?.type === 'run_end') {
      liveRuns.remove(id);
      continue;
    }
    const run = runOf(start);
    countCalls(reader, run);
    registry.add(run);
  }
}

function countCalls(reader: LedgerReader, run: Run): void {
  const { counters } = run;
  for (const id of reader.runCallIds(run.id)) run.callIds.claim(id);
  for (const { type, code, count } of reader.runCounts(run.id)) {
    if (type === 'tool_call_start') counters.calls_total += count;
    if (type === 'tool_call_end' && code !== 'OK') counters.errors_total += count;
    if (type !== 'tool_call_decision') continue;
    if (code === 'ALLOW') counters.calls_allowed += count;
    else if (code === 'THROTTLE') counters.calls_throttled += count;
    else counters.calls_blocked += count;
  }
  // A refused call ends with an error that is the policy's, which the summary counts as blocked or throttled.
  counters.errors_total = Math.max(
    0,
    counters.errors_total - counters.calls_blocked - counters.calls_throttled,
  );
}

function restoreWindows({ reader, limiter, enrolments, detector }: RestoreParts, now: number): void {
  const taken = SERVICE_ACTIONS.flatMap((action) =>
    recent(reader, action, now - RATE_WINDOW_MS).map(({ ts, data }) => {
      return { action, ts, client: textOf(data, 'source') };
    }),
  );
  limiter.restore(taken);
  detector.restore(taken);
  enrolments.restore(recentEnrolments(reader, now - ENROLMENT_WINDOW_MS));
}

/** When runs opened themselves, as far as that still counts. */
function recentEnrolments(reader: LedgerReader, since: number): number[] {
  const times: number[] = [];
  let cursor: number | null = null;
  do {
    const page: ReturnType<LedgerReader['byType']> = reader.byType('run_start', { cursor, limit: 1000 });
    const fresh = page.rows.filter((row) => row.ts >= since);
    times.push(...fresh.filter((row) => row.data['attested'] === false).map((row) => row.ts));
    cursor = fresh.length < page.rows.length ? null : page.next;
  } while (cursor !== null);
  return times;
}

/** Requests of an action that its window has counted: those that were recorded as pending or asked for an approval. */
function recent(reader: LedgerReader, action: string, since: number): LedgerRow[] {
  const found: LedgerRow[] = [];
  let cursor: number | null = null;
  do {
    const page: ReturnType<LedgerReader['byAction']> = reader.byAction(action, { cursor, limit: 1000 });
    const fresh = page.rows.filter((row) => row.ts >= since);
    found.push(...fresh.filter((row) => row.type === 'action_pending' || isQuestion(row)));
    cursor = fresh.length < page.rows.length ? null : page.next;
  } while (cursor !== null);
  return found;
}

/** The refusal that asked for an approval; the anomalies before it have the same code. */
function isQuestion(row: LedgerRow): boolean {
  return row.type === 'action_rejected' && row.code === 'requires_approval';
}
