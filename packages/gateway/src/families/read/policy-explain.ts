import { canonicalize, SublError, sha256Hex, type JsonObject, type JsonValue } from '@subluminal/core-types';
import {
  explain,
  explainBoth,
  keysOfAll,
  looksAt,
  PolicyState,
  policyRef,
  type PolicyCall,
  type TraceStep,
  withheld,
} from '@subluminal/policy';
import { policyData } from '../../policy/policy-data.js';
import type { Clock } from '../../base/clock.js';
import type { ActionOf } from '../../pipeline/steps.js';
import type { PolicyHolder } from '../../policy/holder.js';
import { decisionData } from '../../runs/judge.js';
import { waiversOf } from '../../limits/facts.js';
import type { RunRegistry } from '../../runs/registry.js';
import { raisesOf } from '../../approvals/asked-rule.js';
import type { Questions } from '../../approvals/port.js';
import type { Run } from '../../runs/run.js';
import type { KnownTools } from '../../runs/known-tools.js';
import type { CallObjects } from '../../objects/call-objects.js';
import { read } from './read.js';

export interface ExplainParts {
  readonly policy: PolicyHolder;
  readonly registry: RunRegistry;
  readonly tools: Pick<KnownTools, 'of'>;
  readonly objects: Pick<CallObjects, 'inFolder'>;
  readonly clock: Clock;
  readonly questions: Pick<Questions, 'canAsk' | 'raises'>;
}

/** The asker where neither a run nor an identity is given. */
const NOBODY: PolicyCall['identity'] = { agent_id: 'unknown', client: 'unknown', env: 'unknown' };

/**
 * `policy.explain`: every rule and every limit of the policy that is loaded, for one call. It charges
 * nothing.
 */
export function policyExplain(parts: ExplainParts): ActionOf<'policy.explain'> {
  const { policy, registry, tools, clock, objects, questions } = parts;
  return read(async (asked) => {
    const run = asked.run_id === undefined ? undefined : liveRun(registry, asked.run_id);
    const identity = asked.identity ?? run?.identity ?? NOBODY;
    const now = asked.now ?? clock();
    const { snapshot } = policy.current;
    const policies = run?.policy === undefined ? [snapshot] : [snapshot, run.policy.snapshot];
    const known = tools.of(asked.server_name, asked.tool_name);
    const about: PolicyCall = {
      server_name: asked.server_name,
      tool_name: asked.tool_name,
      args: asked.args,
      args_hash: sha256Hex(canonicalize(asked.args)),
      identity,
      raised: known.raised,
      readings: await objects.inFolder(asked.cwd ?? identity.workload?.repo_path, {
        server: asked.server_name,
        tool: asked.tool_name,
        args: asked.args,
        keys: keysOfAll(policies, asked.server_name, asked.tool_name),
      }),
    };
    const waivers = waiversOf(run?.limits.waivers ?? [], about);
    const state = run?.limits.state ?? PolicyState.empty();
    const canAsk = questions.canAsk();
    const raises = run === undefined ? [] : raisesOf(questions, snapshot, run.id);
    const options = { waivers, inputSchema: known.inputSchema, held: known.held, canAsk, raises };
    const own = run?.policy;
    const both =
      own === undefined ? undefined : explainBoth([snapshot, own.snapshot], state, about, now, options);
    const result =
      both?.home ?? withheld(explain(snapshot, state, about, now, options), known.held, snapshot.mode);
    return {
      run_id: run?.id ?? null,
      identity: { agent_id: identity.agent_id, client: identity.client, env: identity.env },
      now: new Date(now).toISOString(),
      policy: { ...policyData(policyRef(snapshot)), mode: snapshot.mode },
      args_hash: about.args_hash,
      decision: decisionData(result.decision),
      effective: decisionData(result.effective),
      tags: [...result.tags],
      waived: [...new Set(waivers.map(({ rule_id }) => rule_id))],
      trace: result.trace.map(stepData),
      objects: looksAt(snapshot, about, now) ?? null,
      ...(own === undefined || both === undefined
        ? {}
        : {
            by: both.by,
            run_policy: {
              ...policyData(own.ref),
              mode: own.snapshot.mode,
              decision: decisionData(both.run.decision),
              effective: decisionData(both.run.effective),
              trace: both.run.trace.map(stepData),
            },
          }),
    };
  });
}

function liveRun(registry: RunRegistry, id: string): Run {
  const run = registry.live(id);
  if (run !== undefined) return run;
  throw new SublError('not_found', `there is no live run \`${id}\``, {
    help: 'leave the run out, to ask with nothing used up',
  });
}

/** A step as JSON: plain data, without members that are undefined. */
function stepData(step: TraceStep): JsonObject {
  const data: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(step)) if (value !== undefined) data[key] = value as JsonValue;
  return data;
}
