import { canonicalize, redact, SublError, type RunEndPayload } from '@subluminal/core-types';
import { isAlive } from '@subluminal/ipc';
import type { LedgerReader } from '@subluminal/ledger';
import { policyData } from '../tool/entries.js';
import type { ActionHandler } from '../../pipeline/handlers.js';
import type { PipelineCall } from '../../pipeline/call.js';
import { payloadOf } from '../../pipeline/payload.js';
import { refuse, success } from '../../pipeline/reply.js';
import type { ProxyTold } from '../connection/proxy-place.js';
import type { PolicyHolder } from '../../policy/holder.js';
import { keptText, runPolicyEntry } from '../../policy/run-policy.js';
import type { KeyRing } from '../../base/keys.js';
import type { LiveRuns } from '../../store/live-runs.js';
import type { RunPolicyStore } from '../../store/run-policies.js';
import type { RunEnding, RunLifecycle } from '../../runs/lifecycle.js';
import type { RunRegistry } from '../../runs/registry.js';
import type { Run } from '../../runs/run.js';

/** What the actions on runs work with. */
export interface RunActionParts {
  readonly registry: RunRegistry;
  readonly lifecycle: RunLifecycle;
  readonly liveRuns: LiveRuns;
  readonly policy: PolicyHolder;
  readonly runPolicies: RunPolicyStore;
  readonly keys: KeyRing;
  readonly requireTicket: () => boolean;
  /** Where the proxy is, as a run is told; null for none. */
  readonly proxy: () => ProxyTold | null;
  /** Reads the record of runs that are over. */
  readonly openReader: () => LedgerReader;
  /** How a run ends that began while everything was being stopped; undefined while nothing is. */
  readonly stopped: () => RunEnding | undefined;
}

/** Labels, workload and meta of a run, together. */
const MAX_RUN_BEGIN = 65_536;

/** `run.begin`: opens a run, and gives whoever asked its key. */
export function runBegin(parts: RunActionParts): ActionHandler {
  const prepared = new WeakMap<PipelineCall, { readonly run: Run; readonly giveUpPlace: () => void }>();
  return {
    entries: (call) => {
      const payload = payloadOf(call, 'run.begin');
      const attested = call.caller.kind === 'operator';
      if (!attested && parts.requireTicket()) {
        return refuse('ticket_required', 'this gateway only serves runs that were opened by `sub run`');
      }
      if (!attested && payload.policy !== undefined) {
        return refuse('not_permitted', 'only the operator opens a run with a policy of its own');
      }
      const policyChars = payload.policy === undefined ? 0 : canonicalize(payload.policy).length;
      if (call.read.payloadCanonical.length - policyChars > MAX_RUN_BEGIN) {
        return refuse(
          'invalid_request',
          `what a run says of itself has more than ${MAX_RUN_BEGIN} characters`,
        );
      }
      if (!isAlive(payload.holder))
        return refuse('invalid_request', 'the process that should hold the run is gone');
      const run = parts.lifecycle.prepare(payload, attested);
      const giveUpPlace = parts.registry.reserve(attested);
      call.atEnd(giveUpPlace);
      prepared.set(call, { run, giveUpPlace });
      parts.liveRuns.add(run.id);
      const start = parts.lifecycle.startEntry(run, payload);
      if (run.policy === undefined) return [start];
      parts.runPolicies.add(run.id, keptText(run.policy));
      return [start, runPolicyEntry(run.id, run.policy, start.ts)];
    },
    execute: (call) => {
      const begun = prepared.get(call);
      if (begun === undefined) throw new Error('a run began without its entry');
      const { run, giveUpPlace } = begun;
      giveUpPlace();
      parts.registry.add(run);
      const stopped = parts.stopped();
      if (stopped !== undefined) {
        parts.lifecycle.endSoon(run, stopped);
        throw new SublError('panicked', 'everything is stopped: the operator decided so');
      }
      const { snapshot, ref } = parts.policy.current;
      return success({
        run_id: run.id,
        credential: { ...parts.keys.credential('run', run.id) },
        attested: run.attested,
        mode: snapshot.mode,
        policy: policyData(ref),
        proxy: parts.proxy(),
        policy_remark: parts.policy.remark ?? null,
        ...(run.policy === undefined ? {} : { run_policy: policyData(run.policy.ref) }),
      });
    },
  };
}

/**
 * `run.end`: a run ends itself, or the operator ends one. Its record is the `run_end` entry. For the
 * operator, a run that a rule or a panic has ended before counts as ended: the answer says how it ended, and
 * nothing is recorded twice.
 */
export function runEnd(parts: RunActionParts): ActionHandler {
  return {
    entries: () => 'own',
    execute: async (call) => {
      const payload = payloadOf(call, 'run.end');
      const over = await statusOfOver(parts, call, payload);
      if (over !== undefined) return success({ run_id: payload.run_id ?? '', status: over, was_over: true });
      const run = runToEnd(parts.registry, call, payload);
      // This request is under way in its own run: it must not wait for itself.
      call.finish();
      await parts.lifecycle.end(run, {
        status: payload.status,
        cause: 'requested',
        message: payload.message === undefined ? undefined : redact(payload.message).text,
      });
      return success({ run_id: run.id, status: payload.status });
    },
  };
}

/**
 * `verb.refused`: the gateway refuses the attempt as `sub` did. That records and bounds it like every
 * refusal.
 */
export const verbRefused: ActionHandler = {
  entries: (call) => {
    const { verb, run_id: runId } = payloadOf(call, 'verb.refused');
    const run = runId === undefined ? '' : ` \`${runId}\``;
    return refuse('inside_run', `\`sub ${verb}\` is refused inside a run${run}`);
  },
  execute: () => {
    throw new SublError('inside_run', 'this command is refused inside a run');
  },
};

/** `run.read`: what a run may know of itself. */
export const runRead: ActionHandler = {
  execute: (call) => {
    const { run } = call.caller;
    if (run === undefined) throw new SublError('not_permitted', 'only a run can read itself');
    return success(runData(run));
  },
};

/** A run as answers show it. */
export function runData(run: Run): {
  readonly run_id: string;
  readonly agent_id: string;
  readonly client: string;
  readonly env: string;
  readonly attested: boolean;
  readonly state: string;
  readonly started_at: string;
  readonly holder: { readonly pid: number; readonly start: string };
  readonly open_calls: number;
  readonly counters: Readonly<Record<string, number>>;
} {
  const { agent_id, client, env } = run.identity;
  return {
    run_id: run.id,
    agent_id,
    client,
    env,
    attested: run.attested,
    state: run.state,
    started_at: new Date(run.startedMs).toISOString(),
    holder: { pid: run.holder.pid, start: run.holder.start },
    open_calls: run.openCalls.size,
    counters: { ...run.counters },
  };
}

/** The recorded status of a run that is over, or is ending now; undefined for any other. */
async function statusOfOver(
  { registry, lifecycle, openReader }: RunActionParts,
  { caller }: PipelineCall,
  { run_id: runId }: RunEndPayload,
): Promise<string | undefined> {
  if (caller.kind !== 'operator' || runId === undefined || registry.live(runId) !== undefined)
    return undefined;
  await lifecycle.ended(runId);
  const reader = openReader();
  try {
    const [last] = reader.byRun(runId, { limit: 1 }).rows;
    return last?.type === 'run_end' ? (last.code ?? '') : undefined;
  } finally {
    reader.close();
  }
}

function runToEnd(registry: RunRegistry, call: PipelineCall, payload: RunEndPayload): Run {
  const own = call.caller.run;
  if (own !== undefined) {
    if (payload.run_id !== undefined && payload.run_id !== own.id) {
      throw new SublError('not_permitted', 'a run can only end itself');
    }
    return own;
  }
  if (payload.run_id === undefined)
    throw new SublError('invalid_request', 'the operator names the run to end');
  const run = registry.live(payload.run_id);
  if (run === undefined) throw new SublError('not_found', `there is no live run \`${payload.run_id}\``);
  return run;
}
