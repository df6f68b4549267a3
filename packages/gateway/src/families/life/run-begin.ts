import { canonicalize, SublError, type PayloadOf } from '@subluminal/core-types';
import { isAlive } from '@subluminal/ipc';
import type { KeyRing } from '../../base/keys.js';
import type { EnrolmentLimit } from '../../pace/enrolments.js';
import { type Refusal, refuse, success } from '../../pipeline/reply.js';
import type { ActionOf } from '../../pipeline/steps.js';
import type { PolicyHolder } from '../../policy/holder.js';
import { policyData } from '../../policy/policy-data.js';
import { keptText, runPolicyEntry } from '../../policy/run-policy.js';
import type { RunEnding, RunLifecycle } from '../../runs/lifecycle.js';
import type { RunRegistry } from '../../runs/registry.js';
import type { Run } from '../../runs/run.js';
import type { LiveRuns } from '../../store/live-runs.js';
import type { RunPolicyStore } from '../../store/run-policies.js';
import type { ProxyTold } from './proxy-place.js';
import type { Beginning, Projects } from '../../projects/port.js';
import { BEGINS, life } from './life.js';

export interface RunBeginParts {
  readonly registry: RunRegistry;
  readonly lifecycle: RunLifecycle;
  readonly liveRuns: LiveRuns;
  readonly policy: PolicyHolder;
  readonly runPolicies: RunPolicyStore;
  readonly projects: Pick<Projects, 'look'>;
  readonly keys: KeyRing;
  readonly enrolments: EnrolmentLimit;
  readonly requireTicket: () => boolean;
  /** The place of the proxy, as a run is told; null for none. */
  readonly proxy: () => ProxyTold | null;
  /** How a run ends that began while everything was being stopped; undefined while nothing is. */
  readonly stopped: () => RunEnding | undefined;
}

/** Labels, workload and meta of a run, together. */
const MAX_RUN_BEGIN = 65_536;

/**
 * `run.begin`: opens a run, and gives the asker its key. Runs that open themselves have a window of their
 * own.
 */
export function runBegin(parts: RunBeginParts): ActionOf<'run.begin'> {
  const begin = life<PayloadOf<'run.begin'>>(BEGINS, (call, payload) => {
    let begun:
      | { readonly run: Run; readonly giveUpPlace: () => void; readonly beginning: Beginning }
      | undefined;
    let beginning: Beginning | undefined;
    return {
      decide: async () => {
        const seen = await parts.projects.look(payload);
        if (seen === 'late')
          return refuse('overloaded', 'the folder of the run could not be looked up in time');
        beginning = seen;
        return 'pass';
      },
      record: () => {
        if (beginning === undefined) throw new Error('a run begins without its place');
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
        begun = { run, giveUpPlace, beginning };
        parts.liveRuns.add(run.id);
        const start = parts.lifecycle.startEntry(run, payload, beginning.recorded);
        const ofProjects = beginning.enter(run, start.ts);
        if (run.policy === undefined) return [start, ...ofProjects];
        parts.runPolicies.add(run.id, keptText(run.policy));
        return [start, runPolicyEntry(run.id, run.policy, start.ts), ...ofProjects];
      },
      execute: () => {
        if (begun === undefined) throw new Error('a run began without its entry');
        const { run, giveUpPlace, beginning: place } = begun;
        giveUpPlace();
        parts.registry.add(run);
        place.begun(run);
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
          ...place.answered,
        });
      },
    };
  });
  return (call, payload) => ({
    ...begin(call, payload),
    admit: () => (call.caller.kind === 'enrol' ? enrolled(parts.enrolments) : 'pass'),
  });
}

function enrolled(enrolments: EnrolmentLimit): 'pass' | Refusal {
  const verdict = enrolments.take();
  if (verdict.ok) return 'pass';
  const seconds = Math.ceil(verdict.retryAfterMs / 1000);
  return {
    status: 'rate_limited',
    error: {
      code: 'too_many_enrolments',
      message: `too many runs opened themselves; try again in ${seconds} s`,
      details: { retry_after_ms: verdict.retryAfterMs },
    },
  };
}
