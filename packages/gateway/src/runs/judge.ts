import type { Decision, JsonObject, PolicyRef, ToolCallBeginPayload } from '@subluminal/core-types';
import {
  decide,
  decideNarrowed,
  policyRef,
  type Charge,
  type PolicyCall,
  type PolicySnapshot,
  type Trip,
  type Waiver,
  withheld,
} from '@subluminal/policy';
import type { Readings } from '@subluminal/readings';
import type { KnownTools } from './known-tools.js';
import { policiesData } from './policies-data.js';
import type { Run } from './run.js';
import type { Continued } from './unfinished.js';
import type { PolicyHolder } from '../policy/holder.js';
import { narrowingOf } from '../projects/narrowing.js';
import type { Projects, RunNarrowing } from '../projects/port.js';
import { raisesOf } from '../approvals/asked-rule.js';
import type { Questions } from '../approvals/port.js';
import { decisionFacts, waiversOf } from '../limits/facts.js';

/** The policy's answer to one call. */
export interface Verdict {
  /** The decision that is enforced and recorded. */
  readonly effective: Decision;
  /** The decision of the rules; differs from `effective` in observe mode only. */
  readonly ruled: Decision;
  readonly tags: readonly string[];
  /** Classes that the tool's own annotations add. */
  readonly raised: readonly string[];
  /** Whose answer is enforced. */
  readonly policy: PolicyRef;
  /** It is one that narrows that of the home. */
  readonly narrows: RunNarrowing['kind'] | undefined;
  /** The home's policy that was asked. */
  readonly snapshot: PolicySnapshot;
  /** Those that narrow it. Others that are in force meanwhile have to be asked too. */
  readonly narrowing: readonly RunNarrowing[];
  /** The amounts that the call takes out of limits. */
  readonly charge: Charge;
  /** Breakers that it tripped. */
  readonly trips: readonly Trip[];
  /** The call that it goes on with, and what its limits have counted for that one. */
  readonly continues: Continued | undefined;
  /** The rule by which a person is to be asked; undefined where the answer is no question. */
  readonly asks: string | undefined;
  /** All this as the entry of the decision says it. */
  readonly facts: JsonObject | undefined;
}

/** The objects of a call as each policy reads them. */
export interface OwnReadings {
  /** By the keys that the policy of the home names. */
  readonly home: Readings | undefined;
  /** Undefined also for a policy that came into force meanwhile and names keys: its denies hold then. */
  readonly of: (snapshot: PolicySnapshot) => Readings | undefined;
}

/** The facts of a call that its payload does not hold. */
export interface CallFacts {
  readonly now: number;
  readonly argsHash: string;
  readonly continues: Continued | undefined;
  readonly readings: OwnReadings;
}

/** The say that people have in a decision. */
export interface Consent {
  /** Somebody can be asked. */
  readonly canAsk: boolean;
  /** Rules that a person's yes takes out for this call. */
  readonly agreed: readonly string[];
}

export interface JudgeParts {
  readonly policy: PolicyHolder;
  readonly tools: Pick<KnownTools, 'of'>;
  readonly questions: Pick<Questions, 'raises'>;
  readonly projects: Pick<Projects, 'of'>;
}

/**
 * Asks the policy that is loaded now, and those that narrow it for the run. It charges the call at once, so
 * that the next decision counts it. The identity is what the run was opened with, not what the call says.
 * A tool that is held is refused whatever the policy says.
 */
export function judgeCall(
  { policy, projects, tools, questions }: JudgeParts,
  run: Run,
  payload: ToolCallBeginPayload,
  facts: CallFacts & Consent,
): Verdict {
  const { now, argsHash, continues, readings, canAsk, agreed } = facts;
  const { snapshot } = policy.current;
  const { limits } = run;
  const { server_name, tool_name } = payload;
  const known = tools.of(server_name, tool_name, { runId: run.id, payload });
  const call = policyCall(run, payload, facts, known.raised);
  const lifted = (rule_id: string): Waiver => ({ rule_id, server_name, tool_name, args_hash: argsHash });
  const waivers = [...waiversOf(limits.waivers, call), ...agreed.map(lifted)];
  const options = {
    waivers,
    held: known.held,
    paid: continues?.paid,
    canAsk,
    readingsOf: readings.of,
    // Few rules ask for these two, so neither is looked up before one does.
    get raises() {
      return raisesOf(questions, snapshot, run.id);
    },
    get inputSchema() {
      return known.inputSchema;
    },
  };
  const narrowing = narrowingOf(projects, run);
  const { state } = limits;
  const narrowed =
    narrowing.length === 0 ? undefined : decideNarrowed(snapshot, narrowing, state, call, now, options);
  const { decision, effective, tags, charge, trips, asks, extended } =
    narrowed ?? withheld(decide(snapshot, state, call, now, options), known.held, snapshot.mode);
  limits.charge(payload.call_id, charge, now);
  const lifts = extended.length === 0 ? waivers : [...waivers, ...extended.map(lifted)];
  const argKeys = joinedKeys(snapshot.argKeys, narrowing);
  const policies = narrowed === undefined ? undefined : policiesData(narrowed, narrowing);
  const by = narrowed === undefined ? undefined : narrowing[narrowed.by - 1];
  return {
    effective,
    ruled: decision,
    tags,
    raised: known.raised,
    policy: by?.ref ?? policyRef(snapshot),
    narrows: by?.kind,
    snapshot,
    narrowing,
    charge,
    trips,
    asks,
    continues,
    facts: decisionFacts(argKeys, { charge, call, waivers: lifts, policies }),
  };
}

/** The call as rules look at it. */
function policyCall(
  { identity }: Run,
  { server_name, tool_name, args, uninspected }: ToolCallBeginPayload,
  { argsHash, readings }: CallFacts,
  raised: readonly string[],
): PolicyCall {
  return {
    server_name,
    tool_name,
    args,
    arg_keys: uninspected?.arg_keys,
    args_hash: argsHash,
    identity,
    raised,
    readings: readings.home,
  };
}

/** Whether the policies that were asked are still those in force for the run. */
export function isInForce({ policy, projects }: JudgeParts, run: Run, verdict: Verdict): boolean {
  if (verdict.snapshot !== policy.current.snapshot) return false;
  const now = narrowingOf(projects, run);
  const { narrowing } = verdict;
  return now.length === narrowing.length && now.every((one, at) => one.snapshot === narrowing[at]?.snapshot);
}

function joinedKeys(home: readonly string[], others: readonly RunNarrowing[]): readonly string[] {
  const own = others.flatMap(({ snapshot }) => snapshot.argKeys);
  return own.length === 0 ? home : [...new Set([...home, ...own])].toSorted();
}
