import {
  canonicalize,
  isSublError,
  newRunId,
  redact,
  SublError,
  type JsonObject,
  type JsonValue,
  type RunBeginPayload,
  type RunStatus,
  type Workload,
} from '@subluminal/core-types';
import type { EntryInput, Ledger } from '@subluminal/ledger';
import type { Clock, RandomBytes } from '../base/clock.js';
import { policyData } from '../policy/policy-data.js';
import { unreportedEndEntry } from './unreported-end.js';
import { errorText, type Logger } from '../base/logger.js';
import { compileRunPolicy } from '../policy/run-policy.js';
import type { PolicyHolder } from '../policy/holder.js';
import { interruptedEntry } from './interrupted-entry.js';
import type { Recorder } from '../recording/recorder.js';
import type { LiveRuns } from '../store/live-runs.js';
import type { RunRegistry } from './registry.js';
import { Run, type RunIdentity } from './run.js';

/** Why a run ended. */
export interface RunEnding {
  readonly status: RunStatus;
  readonly cause: 'requested' | 'holder_gone' | 'terminated' | 'panic' | 'restart';
  readonly message?: string | undefined;
  /** Of the rule that ended it. */
  readonly terminateCode?: string | undefined;
}

/** A pending entry of a run that ends. */
export interface OpenEntry {
  readonly seq: number;
  readonly runId: string;
  readonly requestId: string;
  readonly ts: number;
}

/** What runs are opened and ended with. */
export interface LifecycleParts {
  readonly registry: RunRegistry;
  readonly liveRuns: LiveRuns;
  readonly recorder: Recorder;
  readonly ledger: Pick<Ledger, 'flushHead'>;
  readonly policy: PolicyHolder;
  readonly clock: Clock;
  readonly random: RandomBytes;
  /** This machine, as every run's events name it; never what a client says. */
  readonly hostId: string;
  /** The gateway's process, as events name it that no shim produces. */
  readonly procId: string;
  readonly log: Logger;
  /** What has to be recorded of a run before nothing can be any more. Never rejects. */
  readonly beforeEnd?: (run: Run) => Promise<void>;
  /** What was unusual about a run, by kind. Never throws. */
  readonly unusual?: (run: Run) => Readonly<Record<string, number>> | undefined;
  /** The entry of the end of a connection that the run had open, where that is known. */
  readonly lateEnd?: (open: OpenEntry) => EntryInput | undefined;
  /** Told of each run whose end is recorded. */
  readonly onEnded?: (run: Run, ending: RunEnding) => void;
  /** How long a run that ends waits for its service actions, which are aborted at once. */
  readonly deadlineMs: number;
}

/** How often the end of a run is written before it is left to the next look at the processes. */
const MAX_END_ATTEMPTS = 8;

/** Opens and ends runs, so that a run's entries begin with `run_start` and nothing follows its `run_end`. */
export class RunLifecycle {
  readonly #parts: LifecycleParts;
  readonly #endings = new Map<string, Promise<void>>();

  constructor(parts: LifecycleParts) {
    this.#parts = parts;
  }

  /** A new run that nobody knows yet. Throws `policy_invalid` for what it brings along. */
  prepare(payload: RunBeginPayload, attested: boolean): Run {
    const { clock, random } = this.#parts;
    const startedMs = clock();
    const run = new Run({
      id: newRunId(startedMs, random),
      identity: identityOf(payload),
      attested,
      holder: payload.holder,
      startedMs,
      policy: payload.policy === undefined ? undefined : compileRunPolicy(payload.policy),
    });
    run.isNamed = attested && payload.named === true;
    run.isStrict = payload.strict === true;
    run.noSnapshots = run.isStrict;
    return run;
  }

  /** `run_start`, with what a restart needs to go on with the run; `place`: where it begins. */
  startEntry(run: Run, payload: RunBeginPayload, place: JsonObject): EntryInput {
    const { snapshot, ref } = this.#parts.policy.current;
    const { claimed_run_id: claimed, meta } = payload;
    const { agent_id, client, env, principal, workload } = run.identity;
    return {
      type: 'run_start',
      ts: run.startedMs,
      runId: run.id,
      data: {
        agent_id,
        client,
        env,
        host_id: this.#parts.hostId,
        proc_id: this.#parts.procId,
        ...(principal === undefined ? {} : { principal }),
        ...(workload === undefined ? {} : { workload: workloadData(workload) }),
        attested: run.attested,
        holder: { pid: run.holder.pid, start: run.holder.start },
        ...(claimed === undefined ? {} : { claimed_run_id: redact(claimed).text }),
        run: {
          started_at: new Date(run.startedMs).toISOString(),
          mode: snapshot.mode,
          ...(run.policy === undefined
            ? {}
            : { policy: { ...policyData(run.policy.ref), mode: run.policy.snapshot.mode } }),
          ...place,
          ...(payload.strict === true ? { strict: true } : {}),
          ...(run.isNamed ? { named: true } : {}),
          ...(meta === undefined ? {} : shownMeta(meta)),
        },
        policy: policyData(ref),
      },
    };
  }

  /**
   * Ends a run: it takes no more requests, its service actions are aborted, what stays open is closed, and
   * `run_end` is its last entry. Resolves when that is durable; a run that is ending already is awaited.
   */
  end(run: Run, ending: RunEnding): Promise<void> {
    const running = this.#endings.get(run.id);
    if (running !== undefined) return running;
    const ended = this.#end(run, ending).finally(() => this.#endings.delete(run.id));
    this.#endings.set(run.id, ended);
    return ended;
  }

  /** Resolves when the end of a run that is ending is recorded, at once for any other. Errors of `end`. */
  async ended(runId: string): Promise<void> {
    await this.#endings.get(runId);
  }

  /**
   * Ends a run without anyone waiting for it; a failure is logged, and the next tick of the watch tries
   * again.
   */
  endSoon(run: Run, ending: RunEnding): void {
    this.end(run, ending).catch((error: unknown) => {
      this.#parts.log.error('a run could not be ended', { run: run.id, error: errorText(error) });
    });
  }

  async #end(run: Run, ending: RunEnding): Promise<void> {
    const { ledger, registry, liveRuns } = this.#parts;
    run.beginEnd(ending.cause === 'panic' ? ending.cause : undefined);
    await this.#parts.beforeEnd?.(run);
    await this.#recordEnd(run, ending);
    run.openCalls.clear();
    run.openPendings.clear();
    run.state = 'ended';
    registry.remove(run);
    liveRuns.remove(run.id);
    this.#parts.onEnded?.(run, ending);
    for (const session of run.sessions) {
      session.push({ type: 'run_ended', run_id: run.id, status: ending.status, ...termination(ending) });
      session.end();
    }
    await ledger.flushHead('run_end');
  }

  /**
   * Writes the ends of what is open and `run_end` in one commit. An end that was reported past the deadline
   * may have reached the disk first; then the whole group is refused, and what is still open is looked at
   * again.
   */
  async #recordEnd(run: Run, ending: RunEnding): Promise<void> {
    const { recorder, clock, deadlineMs, log, procId, lateEnd = () => undefined } = this.#parts;
    for (let attempt = 0; attempt < MAX_END_ATTEMPTS; attempt += 1) {
      if (!(await run.settled(deadlineMs))) log.warn('a run ends with requests under way', { run: run.id });
      const now = clock();
      const open = closingEntries(run, now, lateEnd);
      if (
        await appended(recorder, [
          ...open,
          endEntry(run, ending, now, { procId, unusual: this.#parts.unusual?.(run) }),
        ])
      )
        return;
    }
    throw new SublError('failed', `the end of the run \`${run.id}\` could not be recorded`);
  }
}

/** Why a run ended that did not end by itself: its client is told to go no further. */
function termination({ terminateCode: code, cause }: RunEnding): JsonObject {
  if (cause === 'panic') return { cause };
  return code === undefined ? {} : { terminate: { terminate_code: code } };
}

/** Also true for a run whose end stands already, although the commit of it was reported as failed. */
async function appended(recorder: Recorder, entries: readonly EntryInput[]): Promise<boolean> {
  try {
    return (await recorder.append({ entries })).ok;
  } catch (error) {
    if (isSublError(error, 'run_ended')) return true;
    throw error;
  }
}

/** The ends of everything in a run that is open. */
function closingEntries(
  run: Run,
  now: number,
  lateEnd: (open: OpenEntry) => EntryInput | undefined,
): EntryInput[] {
  const message = 'the run ended before the end of the call was reported';
  const pendings = [...run.openPendings].map(([seq, pending]) => {
    const open = { seq, runId: run.id, ...pending, ts: now };
    return lateEnd(open) ?? interruptedEntry(open);
  });
  const calls = [...run.openCalls.values()].map((open) => unreportedEndEntry(run.id, open, now, message));
  return [...pendings, ...calls];
}

function endEntry(
  run: Run,
  ending: RunEnding,
  now: number,
  more: { readonly procId: string; readonly unusual: Readonly<Record<string, number>> | undefined },
): EntryInput {
  const { status, cause, message } = ending;
  const { procId, unusual } = more;
  return {
    type: 'run_end',
    ts: now,
    runId: run.id,
    code: status,
    data: {
      proc_id: procId,
      run: {
        ended_at: new Date(now).toISOString(),
        status,
        cause,
        ...(message === undefined ? {} : { message }),
        summary: {
          ...run.counters,
          errors_total: run.counters.errors_total + run.openCalls.size,
          duration_ms: Math.max(0, now - run.startedMs),
        },
      },
      ...(unusual === undefined ? {} : { unusual }),
    },
  };
}

function workloadData(workload: Workload): JsonObject {
  const data: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(workload)) {
    if (value === undefined) continue;
    if (typeof value === 'string') data[key] = redact(value).text;
    else
      data[key] = Object.fromEntries(Object.entries(value).map(([name, text]) => [name, redact(text).text]));
  }
  return data;
}

/** What a client says of its run is kept where it holds nothing that looks like a credential. */
function shownMeta(meta: JsonObject): JsonObject {
  return redact(canonicalize(meta)).count > 0 ? { meta_dropped: true } : { meta };
}

function identityOf(payload: RunBeginPayload): RunIdentity {
  const { agent_id, client, env, principal, workload } = payload;
  return {
    agent_id: redact(agent_id).text,
    client,
    env,
    ...(principal === undefined ? {} : { principal: redact(principal).text }),
    ...(workload === undefined ? {} : { workload }),
  };
}
