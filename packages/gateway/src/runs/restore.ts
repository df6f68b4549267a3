import { isSublError, textAt } from '@subluminal/core-types';
import { isAlive } from '@subluminal/ipc';
import {
  callCounts,
  countsOf,
  type EntryInput,
  type Ledger,
  type LedgerReader,
  type LedgerRow,
  type RunTally,
  type SweepMemory,
  type Swept,
} from '@subluminal/ledger';
import type { Clock } from '../base/clock.js';
import { unreportedEndEntry } from './unreported-end.js';
import { errorText, type Logger } from '../base/logger.js';
import { interruptedEntry } from './interrupted-entry.js';
import type { Recorder } from '../recording/recorder.js';
import type { Detector } from '../anomaly/port.js';
import { RATE_WINDOW_MS, type RateLimiter } from '../pace/rate-limiter.js';
import type { LiveRuns } from '../store/live-runs.js';
import type { SweepStore } from '../store/sweep-store.js';
import type { UpstreamStore } from '../store/upstreams.js';
import { ENROLMENT_WINDOW_MS, type EnrolmentLimit } from '../pace/enrolments.js';
import { LimitRestorer } from './limit-restore.js';
import type { LimitStore } from '../limits/limit-store.js';
import { restoredRunPolicy, type RunPolicy } from '../policy/run-policy.js';
import type { Projects } from '../projects/port.js';
import type { RunPolicyStore } from '../store/run-policies.js';
import type { RunLifecycle } from './lifecycle.js';
import type { RunRegistry } from './registry.js';
import { openCallOf, pendingOf, runOf } from './rows.js';
import type { OpenCall, Run } from './run.js';
import { SWEPT, WORTH_KEEPING } from './sweep-keeper.js';

/** What a start reads and restores. */
export interface RestoreParts {
  readonly ledger: Pick<Ledger, 'danglingPendings'>;
  readonly reader: LedgerReader;
  readonly recorder: Recorder;
  readonly registry: RunRegistry;
  readonly liveRuns: LiveRuns;
  readonly sweeps: SweepStore;
  readonly limits: LimitStore;
  readonly runPolicies: RunPolicyStore;
  readonly projects: Pick<Projects, 'enter' | 'restore'>;
  readonly upstreams: UpstreamStore;
  readonly lifecycle: RunLifecycle;
  readonly limiter: RateLimiter;
  readonly enrolments: EnrolmentLimit;
  readonly detector: Pick<Detector, 'restore'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The message on what a stop or a crash of the gateway cut off. */
const CUT_OFF = 'the gateway stopped before the end of the call was reported';

/** The messages on runs that cannot go on. */
const UNCOUNTED = 'the gateway could not count again what the run has used up';
const WIDENED = 'the policy that narrows the run cannot be had any more';

/** What is known of runs that go on. */
interface Restored {
  /** By run: calls whose end was counted before it was recorded. */
  readonly settled: ReadonlyMap<string, ReadonlySet<string>>;
  /** Runs that cannot go on, and why. */
  readonly stuck: { readonly run: Run; readonly message: string }[];
}

/** Entries that are appended at once while things are closed. */
const CHUNK = 500;

/**
 * Brings back what the ledger says was going on. A run goes on while its holder lives. A pending service
 * action is closed as interrupted and never executed again. A call that was allowed stays open only while its
 * shim lives, which is the one that executes it and may still report its end; any other is closed. Windows
 * count what they had counted: ending the gateway refills nothing. ARCHITECTURE.md, "The pipeline" and
 * "Policy".
 *
 * @returns what it has counted, for `SweepKeeper`.
 */
export async function restoreState(parts: RestoreParts): Promise<SweepMemory> {
  const { ledger, registry, lifecycle, clock, log } = parts;
  const began = clock();
  const swept = sweepLedger(parts, began);
  const restored = restoreRuns(parts, swept);
  restoreWindows(parts, swept, began);
  parts.reader.release();
  const shims = new Set(
    parts.upstreams.all().flatMap((one) => (isAlive(one.shim) ? [`${one.runId} ${one.shimId}`] : [])),
  );
  const now = clock();
  const closing = ledger.danglingPendings().flatMap((row) => {
    if (row.type === 'action_pending') return [interruptedEntry({ ...pendingOf(row), ts: now })];
    const run = row.runId === null ? undefined : registry.live(row.runId);
    const open = readOpenCall(row, () => {
      if (run !== undefined && restored.stuck.every((one) => one.run !== run))
        restored.stuck.push({ run, message: UNCOUNTED });
    });
    open.isSettled = restored.settled.get(run?.id ?? '')?.has(open.callId) ?? false;
    if (run !== undefined && shims.has(`${run.id} ${open.shimId}`)) {
      run.openCalls.set(open.callId, open);
      return [];
    }
    if (run !== undefined) {
      run.counters.errors_total += 1;
      run.limits.settle(open, { status: 'ERROR', latency_ms: Math.max(0, now - open.startedMs) }, now);
    }
    return row.runId === null ? [] : [unreportedEndEntry(row.runId, open, now, CUT_OFF)];
  });
  for (let at = 0; at < closing.length; at += CHUNK) {
    await Promise.all(closing.slice(at, at + CHUNK).map((entry) => close(parts, entry)));
  }
  for (const { run, message } of restored.stuck) {
    await lifecycle.end(run, { status: 'CANCELLED', cause: 'restart', message });
  }
  for (const run of registry.all().filter(({ limits }) => limits.isTerminated)) {
    await lifecycle.end(run, { status: 'TERMINATED', cause: 'terminated', message: 'a rule ended the run' });
  }
  for (const run of registry.all().filter(({ holder }) => !isAlive(holder))) {
    await lifecycle.end(run, { status: run.attested ? 'CANCELLED' : 'SUCCEEDED', cause: 'restart' });
  }
  log.info('state restored', { runs: registry.size, closed: closing.length });
  return swept.memory;
}

/** Closes it whatever it was charged; `onUnreadable`: nobody can tell what that was. */
function readOpenCall(row: LedgerRow, onUnreadable: () => void): OpenCall {
  try {
    return openCallOf(row);
  } catch (error) {
    if (!isSublError(error, 'policy_invalid')) throw error;
    onUnreadable();
    return openCallOf({ ...row, data: { ...row.data, facts: {} } });
  }
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

/** One walk through the ledger's files, and past those of which is known that they have no answer. */
function sweepLedger({ reader, liveRuns, sweeps }: RestoreParts, now: number): Swept {
  const memory = sweeps.read();
  const swept = reader.sweep({
    runIds: liveRuns.all(),
    since: now - Math.max(RATE_WINDOW_MS, ENROLMENT_WINDOW_MS),
    ...SWEPT,
    memory,
  });
  if (swept.memory.upTo - (memory?.upTo ?? 0) >= WORTH_KEEPING) sweeps.write(swept.memory);
  return swept;
}

function restoreRuns(parts: RestoreParts, { runs }: Swept): Restored {
  const { reader, registry, liveRuns, limits: store, log } = parts;
  const tallies = new Map(runs.map((tally) => [tally.runId, tally]));
  const limits = new LimitRestorer({ reader, store, log });
  const restored = {
    settled: new Map<string, ReadonlySet<string>>(),
    stuck: [] as { readonly run: Run; readonly message: string }[],
  };
  for (const id of liveRuns.all()) {
    const tally = tallies.get(id);
    const start = tally !== undefined && reader.holds(tally.first) ? reader.entry(tally.first) : undefined;
    // Its beginning was never recorded, so nobody got its key; or its end was, and only the index is behind.
    if (tally === undefined || start?.type !== 'run_start') {
      liveRuns.remove(id);
      continue;
    }
    const folded = limits.of(id);
    const policy = policyOf(parts, id, start);
    const run = runOf(start, folded?.limits, policy === 'lost' ? undefined : policy);
    parts.projects.restore(run, start);
    for (const folder of parts.upstreams.placesOf(id)) parts.projects.enter(run, folder);
    countCalls(run, tally);
    registry.add(run);
    if (folded !== undefined) restored.settled.set(id, folded.settled);
    if (folded === undefined) restored.stuck.push({ run, message: UNCOUNTED });
    else if (policy === 'lost') restored.stuck.push({ run, message: WIDENED });
  }
  return restored;
}

/** What a run brought along; `lost` where that cannot be had, and the run not go on. */
function policyOf(
  { runPolicies, log }: RestoreParts,
  id: string,
  start: LedgerRow,
): RunPolicy | undefined | 'lost' {
  const hash = textAt(start.data, 'run', 'policy', 'policy_hash');
  if (hash === '') return undefined;
  try {
    return restoredRunPolicy(runPolicies.read(id), hash);
  } catch (error) {
    if (!isSublError(error)) throw error;
    log.error('the policy of a run cannot be had any more', { run: id, error: errorText(error) });
    return 'lost';
  }
}

function countCalls(run: Run, tally: RunTally): void {
  const { counters } = run;
  for (const { id } of tally.series) run.callIds.claim(id);
  for (const { type, code } of countsOf(tally)) {
    if (type === 'spool_ingested' && code === 'error') run.noSnapshots = true;
    // Its end did not follow: no call is decided in between.
    if (type === 'tool_call_decision' && code === 'TERMINATE_RUN') run.limits.terminate();
  }
  Object.assign(counters, callCounts(tally));
}

/**
 * Requests that a window has counted are those that were recorded as pending or asked for an approval; of
 * enrolments, those that were not the operator's.
 */
function restoreWindows(
  { limiter, enrolments, detector }: RestoreParts,
  { actions, types }: Swept,
  now: number,
): void {
  const taken = [...actions].flatMap(([action, rows]) =>
    rows.filter(isCounted).map(({ ts, data }) => ({ action, ts, client: textAt(data, 'source') })),
  );
  limiter.restore(taken);
  detector.restore(taken);
  const starts = types.get('run_start') ?? [];
  const opened = starts.filter(
    ({ ts, data }) => ts >= now - ENROLMENT_WINDOW_MS && data['attested'] === false,
  );
  enrolments.restore(opened.map(({ ts }) => ts));
}

/** The refusal that asked for an approval counts; the anomalies before it have the same code. */
function isCounted({ type, code }: LedgerRow): boolean {
  return type === 'action_pending' || (type === 'action_rejected' && code === 'requires_approval');
}
