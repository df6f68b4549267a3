import { canonicalize, SublError, sha256Hex, type JsonObject, type JsonValue } from '@subluminal/core-types';
import {
  explain,
  explainNarrowed,
  keysOfAll,
  looksAt,
  type Narrowed,
  PolicyState,
  policyRef,
  type PolicyCall,
  type TraceStep,
  withheld,
} from '@subluminal/policy';
import { policyData } from '../../policy/policy-data.js';
import { narrowingOf } from '../../projects/narrowing.js';
import type { Projects, RunNarrowing } from '../../projects/port.js';
import type { Clock } from '../../base/clock.js';
import type { ActionOf } from '../../pipeline/steps.js';
import type { PolicyHolder } from '../../policy/holder.js';
import { decisionData } from '../../runs/decision-data.js';
import { waiversOf } from '../../limits/facts.js';
import type { RunRegistry } from '../../runs/registry.js';
import { raisesOf } from '../../approvals/asked-rule.js';
import type { Questions } from '../../approvals/port.js';
import type { Run } from '../../runs/run.js';
import type { KnownTools } from '../../runs/known-tools.js';
import type { CallObjects } from '../../objects/call-objects.js';
import { readEach } from '../../objects/own-readings.js';
import { read } from './read.js';

export interface ExplainParts {
  readonly policy: PolicyHolder;
  readonly registry: RunRegistry;
  readonly tools: Pick<KnownTools, 'of'>;
  readonly objects: Pick<CallObjects, 'inFolder'>;
  readonly clock: Clock;
  readonly questions: Pick<Questions, 'canAsk' | 'raises'>;
  readonly projects: Pick<Projects, 'at' | 'of'>;
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
    const folder = asked.cwd ?? identity.workload?.repo_path;
    const narrowing = await narrowingIn(parts.projects, run, folder);
    const known = tools.of(asked.server_name, asked.tool_name, null);
    const { server_name: server, tool_name: tool, args } = asked;
    const readings = await readEach(
      snapshot,
      narrowing.map((one) => one.snapshot),
      (_policies, named) =>
        objects.inFolder(folder, { server, tool, args, keys: keysOfAll(named, server, tool) }),
    );
    const about: PolicyCall = {
      server_name: asked.server_name,
      tool_name: asked.tool_name,
      args: asked.args,
      args_hash: sha256Hex(canonicalize(asked.args)),
      identity,
      raised: known.raised,
      readings: readings.home,
    };
    const waivers = waiversOf(run?.limits.waivers ?? [], about);
    const state = run?.limits.state ?? PolicyState.empty();
    const canAsk = questions.canAsk();
    const raises = run === undefined ? [] : raisesOf(questions, snapshot, run.id);
    const options = {
      waivers,
      inputSchema: known.inputSchema,
      held: known.held,
      canAsk,
      raises,
      readingsOf: readings.of,
    };
    const all =
      narrowing.length === 0 ? undefined : explainNarrowed(snapshot, narrowing, state, about, now, options);
    const result =
      all?.answers[0] ?? withheld(explain(snapshot, state, about, now, options), known.held, snapshot.mode);
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
      ...(all === undefined ? {} : narrowedData(all, narrowing)),
    };
  });
}

/** The policies that narrow a call of that run, or of a run that would begin in that folder. */
async function narrowingIn(
  projects: ExplainParts['projects'],
  run: Run | undefined,
  folder: string | undefined,
): Promise<readonly RunNarrowing[]> {
  const known = run === undefined ? [] : narrowingOf(projects, run);
  if (folder === undefined) return known;
  const others = await projects.at(folder);
  return [...known, ...others.filter(({ file }) => known.every((one) => one.file !== file))];
}

/** Whose answer is enforced, and what those say that narrow the policy of the home. */
function narrowedData(
  { answers, by }: Narrowed<ReturnType<typeof explain>>,
  narrowing: readonly RunNarrowing[],
): JsonObject {
  const told = narrowing.flatMap((one, at) => {
    const answer = answers[at + 1];
    return answer === undefined ? [] : [{ kind: one.kind, data: answerData(one, answer) }];
  });
  const own = told.find(({ kind }) => kind === 'run');
  const ofProjects = told.filter(({ kind }) => kind === 'project').map(({ data }) => data);
  const deciding = narrowing[by - 1];
  return {
    by: deciding?.kind ?? 'home',
    ...(deciding?.file === undefined ? {} : { file: deciding.file }),
    ...(own === undefined ? {} : { run_policy: own.data }),
    ...(ofProjects.length === 0 ? {} : { project_policies: ofProjects }),
  };
}

function answerData(
  { file, ref, snapshot }: RunNarrowing,
  { decision, effective, trace }: ReturnType<typeof explain>,
): JsonObject {
  return {
    ...(file === undefined ? {} : { file }),
    ...policyData(ref),
    mode: snapshot.mode,
    decision: decisionData(decision),
    effective: decisionData(effective),
    trace: trace.map(stepData),
  };
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
