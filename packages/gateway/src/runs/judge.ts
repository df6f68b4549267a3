import {
  redact,
  type Decision,
  type JsonObject,
  type JsonValue,
  type PolicyRef,
  type ToolCallBeginPayload,
} from '@subluminal/core-types';
import {
  decide,
  decideNarrowed,
  policyRef,
  strictness,
  type Charge,
  type DecideResult,
  type Narrowed,
  type PolicyCall,
  type PolicySnapshot,
  type Trip,
  type Waiver,
  withheld,
} from '@subluminal/policy';
import type { Readings } from '@subluminal/readings';
import type { Continued } from './unfinished.js';
import { shownHint } from '../recording/shown-hint.js';
import type { Run } from './run.js';
import type { KnownTools } from './known-tools.js';
import type { PolicyHolder } from '../policy/holder.js';
import { narrowingOf } from '../projects/narrowing.js';
import type { Projects, RunNarrowing } from '../projects/port.js';
import { raisesOf } from '../approvals/asked-rule.js';
import type { Questions } from '../approvals/port.js';
import { decisionFacts, waiversOf } from '../limits/facts.js';

/** The policy's answer to one call. */
export interface Verdict {
  /** What is enforced and recorded. */
  readonly effective: Decision;
  /** What the rules say; differs from `effective` in observe mode only. */
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
  /** What the call was charged. */
  readonly charge: Charge;
  /** Breakers that it tripped. */
  readonly trips: readonly Trip[];
  /** The call that it goes on with, and what its limits have counted for that one. */
  readonly continues: Continued | undefined;
  /** The rule by which a person is to be asked; undefined where the answer is no question. */
  readonly asks: string | undefined;
  /** What its entry says of all this. */
  readonly facts: JsonObject | undefined;
}

/** The objects of a call, as the home's policy and those that narrow it read them. */
interface DecidedReadings {
  readonly home: Readings | undefined;
  readonly of: (snapshot: PolicySnapshot) => Readings | undefined;
}

/** What is judged with. */
export interface JudgeParts {
  readonly policy: PolicyHolder;
  /** What is known of the tools. */
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
  asked: {
    readonly now: number;
    readonly argsHash: string;
    readonly continues: Continued | undefined;
    readonly readings: DecidedReadings;
    /** Somebody can be asked. */
    readonly canAsk: boolean;
    /** Rules that a person's yes takes out for this call. */
    readonly agreed: readonly string[];
  },
): Verdict {
  const { snapshot } = policy.current;
  const known = tools.of(payload.server_name, payload.tool_name);
  const call: PolicyCall = {
    server_name: payload.server_name,
    tool_name: payload.tool_name,
    args: payload.args,
    arg_keys: payload.uninspected?.arg_keys,
    args_hash: asked.argsHash,
    identity: run.identity,
    raised: known.raised,
    readings: asked.readings.home,
  };
  const { limits } = run;
  const { server_name, tool_name, args_hash } = call;
  const lifted = (rule_id: string): Waiver => ({ rule_id, server_name, tool_name, args_hash });
  const yes = asked.agreed.map(lifted);
  const waivers = [...waiversOf(limits.waivers, call), ...yes];
  const options = {
    waivers,
    held: known.held,
    paid: asked.continues?.paid,
    canAsk: asked.canAsk,
    readingsOf: asked.readings.of,
    get raises() {
      return raisesOf(questions, snapshot, run.id);
    },
    get inputSchema() {
      return known.inputSchema;
    },
  };
  const narrowing = narrowingOf(projects, run);
  const { state } = limits;
  const all =
    narrowing.length === 0 ? undefined : decideNarrowed(snapshot, narrowing, state, call, asked.now, options);
  const { decision, effective, tags, charge, trips, asks, extended } =
    all ?? withheld(decide(snapshot, state, call, asked.now, options), known.held, snapshot.mode);
  limits.charge(payload.call_id, charge, asked.now);
  const lifts = extended.length === 0 ? waivers : [...waivers, ...extended.map(lifted)];
  const argKeys = joinedKeys(snapshot.argKeys, narrowing);
  const policies = all === undefined ? undefined : policiesData(all, narrowing);
  const by = all === undefined ? undefined : narrowing[all.by - 1];
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
    continues: asked.continues,
    facts: decisionFacts({ argKeys }, { charge, call, waivers: lifts, policies }),
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

/**
 * Whose answer is enforced, that of the home, that of the run's own policy, and of its projects' that of the
 * strictest.
 */
function policiesData(all: Narrowed, narrowing: readonly RunNarrowing[]): JsonObject {
  const [home, ...others] = all.answers;
  const data: Record<string, JsonValue> = {
    by: narrowing[all.by - 1]?.kind ?? 'home',
    home: answerData(home),
  };
  const places = others.map((_, at) => at);
  const run = places.find((at) => narrowing[at]?.kind === 'run');
  if (run !== undefined && others[run] !== undefined) data['run'] = answerData(others[run]);
  const ofProjects = places.filter((at) => narrowing[at]?.kind === 'project');
  const strictest = ofProjects.includes(all.by - 1)
    ? all.by - 1
    : ofProjects.toSorted((one, other) => strictness(others[other]) - strictness(others[one]))[0];
  const answer = strictest === undefined ? undefined : others[strictest];
  const file = narrowing[strictest ?? -1]?.file;
  if (answer !== undefined && file !== undefined)
    data['project'] = { file: redact(file).text, ...answerData(answer) };
  return data;
}

function answerData({ decision, effective }: DecideResult): JsonObject {
  const { action, reason_code, rule_id } = effective;
  const answer = { action, reason_code, rule_id };
  return decision.action === action ? answer : { ...answer, shadow: decision.action };
}

/** A decision as JSON, as answers carry it. */
export function decisionData(decision: Decision): JsonObject {
  const { action, rule_id, severity, reason_code, summary } = decision;
  return withExtras({ action, reason_code, rule_id, severity, summary }, decision);
}

/** A decision as its ledger entry holds it. */
export function decisionEntryData(decision: Decision): JsonObject {
  const { action, rule_id, severity, reason_code, summary, hint } = decision;
  const shown = hint === undefined ? decision : { ...decision, hint: shownHint(hint) };
  return withExtras({ action, explain: { reason_code, summary }, rule_id, severity }, shown);
}

function withExtras(
  data: JsonObject,
  { backoff_ms: backoff, retry_advice: advice, hint, terminate }: Decision,
): JsonObject {
  if (backoff === undefined && hint === undefined && terminate === undefined) return data;
  return {
    ...data,
    ...(backoff === undefined ? {} : { backoff_ms: backoff }),
    ...(advice === undefined ? {} : { retry_advice: advice }),
    ...(hint === undefined ? {} : { hint }),
    ...(terminate === undefined ? {} : { terminate }),
  };
}
