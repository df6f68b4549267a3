import { type Decision, isSublError, type JsonObject } from '@subluminal/core-types';
import type { PolicyCall } from '../match/call.js';
import type { Condition } from '../match/condition.js';
import { selects } from '../match/selectors.js';
import { type Charge, NO_CHARGE } from '../meter/charge.js';
import { Paid } from '../meter/paid.js';
import type { PolicyState } from '../meter/policy-state.js';
import type { CompiledRule } from '../snapshot/rule.js';
import type { PolicySnapshot } from '../snapshot/snapshot.js';
import { refusalAnswer } from './answer.js';
import { askAnswer } from './question.js';
import { askLimit } from './limits.js';
import { metersOf } from './meters.js';
import type { Raise } from './raise.js';
import { type LimitRefusal, Round, type Trip } from './round.js';
import type { ToolIndex } from '../lookup/tool-index.js';
import type { TraceStep } from './trace.js';
import { type Answer, decideNoPolicy, enforced, waivedVerdict } from './verdict.js';
import { type Waiver, waives } from './waiver.js';
import { limitWords } from './words.js';

/** The answer to one call. */
export interface DecideResult {
  /** The rules' decision. */
  readonly decision: Decision;
  /** The enforced decision: in observe mode an ALLOW whose summary tells what would have happened. */
  readonly effective: Decision;
  /** Risk classes of the call, also those that it may have because its arguments were not inspected. */
  readonly tags: readonly string[];
  /** The call's charge of the limits that match it, to be applied to the state at once. */
  readonly charge: Charge;
  /** The breakers that trip by this call. */
  readonly trips: readonly Trip[];
  /** The rule by which a person is to be asked; undefined where the answer is no question. */
  readonly asks: string | undefined;
  /** The budgets that would be gone over without what a person has added to them. */
  readonly extended: readonly string[];
}

/** The facts of a call besides itself. */
export interface DecideOptions {
  readonly waivers?: readonly Waiver[];
  /** The tool's own description of its arguments: what does not fit it is not suggested. */
  readonly inputSchema?: JsonObject | undefined;
  /**
   * The charges of the calls that this one goes on with: it is not counted, nor refused, for that
   * again.
   */
  readonly paid?: Charge | undefined;
  /** Places in windows that another policy takes for the same call. */
  readonly taken?: number;
  /** The yeses of people to budgets, for this run. */
  readonly raises?: readonly Raise[] | undefined;
  /** Somebody can be asked, unless the run is of a CI job. Left out nobody can: a rule that asks refuses. */
  readonly canAsk?: boolean;
}

/** The words on a limit that has counted the action before. */
const CONTINUED = 'CONTINUED';
const NOTHING: readonly never[] = Object.freeze([]);
const NO_OPTIONS: DecideOptions = Object.freeze({});

/**
 * Decides one call. The same snapshot, state, call, time (`now`, epoch ms) and options give the same answer,
 * and none of them is changed. The order of checks:
 *
 * 1. The selectors do not match the identity: BLOCK `NO_POLICY_APPLIES`, whatever the mode.
 * 2. All rules that match, from top to bottom. Disabled ones are skipped, tags gather risk classes, the first
 *    allow or deny decides access. Limits are asked and charged wherever they stand. Allows with overrides,
 *    and waivers, lift the rules that they name. Where arguments were not inspected all but allows match.
 * 3. The first refusal in the order of the file is the decision: the deny that decided access, or a limit.
 *    None: the first ask, or budget that asks, that no yes has lifted, then the allow, else
 *    `defaults.no_match`.
 * 4. A rule that fails counts as an allow or a deny in its place, as `defaults.decision_on_error` says, with
 *    `RULE_ERROR`; it is never skipped.
 *
 * Throws `policy_invalid` on a word that no snapshot has (a mode, a kind): nothing is allowed by being
 * unknown.
 */
export function decide(
  snapshot: PolicySnapshot,
  state: PolicyState,
  call: PolicyCall,
  now: number,
  options: DecideOptions = NO_OPTIONS,
): DecideResult {
  return decideWith(snapshot, new Round(state, call, now, undefined), options);
}

/** Decides one call as `decide` does, and tells what became of every rule. */
export function explain(
  snapshot: PolicySnapshot,
  state: PolicyState,
  call: PolicyCall,
  now: number,
  options: DecideOptions = NO_OPTIONS,
): DecideResult & { readonly trace: readonly TraceStep[] } {
  const trace: TraceStep[] = [];
  return { ...decideWith(snapshot, new Round(state, call, now, trace), options), trace };
}

function decideWith(snapshot: PolicySnapshot, round: Round, options: DecideOptions): DecideResult {
  const { call } = round;
  round.places = options.taken ?? 0;
  round.raising = options;
  if (options.paid !== undefined && options.paid.length > 0) round.paid = new Paid(options.paid);
  if (!selects(snapshot.selectors, call.identity)) {
    const decision = decideNoPolicy();
    round.steps?.push({ rule_id: null, kind: 'selectors', outcome: 'blocked', note: decision.reason_code });
    return {
      decision,
      effective: decision,
      tags: NOTHING,
      charge: NO_CHARGE,
      trips: NOTHING,
      asks: undefined,
      extended: NOTHING,
    };
  }
  if (options.waivers !== undefined) applyWaivers(snapshot, options.waivers, round);
  if (round.steps === undefined) askCandidates(snapshot.index, round);
  else for (const rule of snapshot.rules) if (couldMatch(rule, round, round.steps)) ask(rule, round);
  const { decision, effective } = answerOf(snapshot, round, options);
  // By the rule itself: a deny may use the same words.
  const isAsked = round.refusal === undefined && effective.action === 'REJECT_WITH_HINT';
  const asks = isAsked ? round.asked?.rule_id : undefined;
  // Nobody pays for a question: the call that passes by a yes does.
  const charge = asks === undefined ? chargeOf(round, decision) : NO_CHARGE;
  return {
    decision,
    effective,
    tags: allTags(round),
    charge,
    trips: asks === undefined ? round.trips : NOTHING,
    asks,
    extended: round.extended ?? NOTHING,
  };
}

/** Asks the rules that can match, in their order. */
function askCandidates(index: ToolIndex, round: Round): void {
  const { server_name, tool_name } = round.call;
  const named = index.candidates(server_name, tool_name, round.serverTool);
  const { always } = index;
  let at = 0;
  // By index: `for…of` over an array takes twice the time of the whole decision.
  for (let next = 0; next < named.length; next += 1) {
    const rule = named[next];
    if (rule === undefined) continue;
    for (let other = always[at]; other !== undefined && other.at < rule.at; other = always[at]) {
      ask(other, round);
      at += 1;
    }
    ask(rule, round);
  }
  for (; at < always.length; at += 1) {
    const rule = always[at];
    if (rule !== undefined) ask(rule, round);
  }
}

/** The first steps of a rule that is explained: whether it is on, and whether its names match. */
function couldMatch(rule: CompiledRule, { call }: Round, steps: TraceStep[]): boolean {
  const { rule_id, kind } = rule;
  if (!rule.enabled) steps.push({ rule_id, kind, outcome: 'disabled' });
  else if (rule.server?.(call.server_name) === false) {
    steps.push({ rule_id, kind, outcome: 'not_matched', field: 'server_name' });
  } else if (rule.tool?.(call.tool_name) === false) {
    steps.push({ rule_id, kind, outcome: 'not_matched', field: 'tool_name' });
  } else return true;
  return false;
}

function applyWaivers(snapshot: PolicySnapshot, waivers: readonly Waiver[], round: Round): void {
  for (const waiver of waivers) {
    const rule = snapshot.rules[snapshot.places.get(waiver.rule_id) ?? -1];
    if (rule?.enabled !== true || rule.kind === 'allow' || rule.kind === 'tag' || !waives(waiver, round.call))
      continue;
    round.lifted.push(rule.at);
    // A limit never decided whether the call may be made at all.
    if (rule.kind === 'deny' || rule.kind === 'ask') round.allow ??= waivedVerdict(rule.rule_id);
    round.steps?.push({ rule_id: rule.rule_id, kind: 'waiver', outcome: 'overrides' });
  }
}

function ask(rule: CompiledRule, round: Round): void {
  const isAccess =
    rule.kind === 'deny' || rule.kind === 'ask' || (rule.kind === 'allow' && rule.overrides.length === 0);
  if (round.isAccessDecided && isAccess) {
    round.steps?.push({ rule_id: rule.rule_id, kind: rule.kind, outcome: 'not_asked' });
    return;
  }
  try {
    const { conditions } = rule;
    let unseen: Condition | undefined;
    for (let at = 0; at < conditions.length; at += 1) {
      const condition = conditions[at];
      if (condition === undefined) continue;
      const match = condition.test(round);
      if (match === 'no') {
        const { rule_id, kind } = rule;
        round.steps?.push({ rule_id, kind, outcome: 'not_matched', field: condition.field });
        return;
      }
      if (match === 'unknown') unseen = condition;
    }
    matched(rule, unseen, round);
  } catch (error) {
    failed(rule, error, round);
  }
}

/** `unseen` is the condition that could not be told, where there is one. */
function matched(rule: CompiledRule, unseen: Condition | undefined, round: Round): void {
  const { rule_id, kind } = rule;
  switch (rule.kind) {
    case 'tag':
      addTags(rule.classes, unseen === undefined ? round.tags : round.possibleTags);
      round.steps?.push({
        rule_id,
        kind,
        outcome: unseen === undefined ? 'tagged' : 'tagged_unseen',
        note: rule.classes.join(', '),
      });
      return;
    case 'allow':
      if (unseen !== undefined) {
        round.steps?.push({ rule_id, kind, outcome: 'not_inspected', field: unseen.field });
        return;
      }
      round.allow ??= rule.verdict;
      if (rule.overrides.length === 0) round.isAccessDecided = true;
      for (const place of rule.overrides) round.lifted.push(place);
      round.steps?.push({
        rule_id,
        kind,
        outcome: rule.overrides.length === 0 ? 'allowed' : 'overrides',
        note: rule.verdict.decision.reason_code,
      });
      return;
    case 'deny': {
      const isLifted = round.isLifted(rule.at);
      const note = rule.verdict.decision.reason_code;
      const why = unseen === undefined ? note : `${note} (the arguments were not inspected)`;
      round.steps?.push({ rule_id, kind, outcome: isLifted ? 'lifted' : 'blocked', note: why });
      if (isLifted) return;
      round.isAccessDecided = true;
      round.refuse({ by: 'deny', rule });
      return;
    }
    case 'ask': {
      const isLifted = round.isLifted(rule.at);
      const why = unseen === undefined ? {} : { note: 'the arguments were not inspected' };
      round.steps?.push({ rule_id, kind, outcome: isLifted ? 'lifted' : 'asks', ...why });
      if (!isLifted) round.asked ??= rule;
      return;
    }
    default: {
      round.wasPaid = false;
      const refusal = askLimit(rule, round);
      const isLifted = refusal !== undefined && round.isLifted(rule.at);
      if (round.steps !== undefined) {
        const refused = isQuestion(refusal) ? 'asks' : 'limited';
        const outcome = refusal === undefined ? 'counted' : isLifted ? 'lifted' : refused;
        const paid = round.wasPaid ? { note: CONTINUED } : {};
        const note = refusal === undefined ? paid : { note: refusal.reason };
        round.steps.push({ rule_id, kind, outcome, ...note, ...metersOf(rule, round) });
      }
      if (refusal === undefined || isLifted) return;
      if (!isQuestion(refusal)) return round.refuse(refusal);
      const { hint, rule_id: id, severity } = refusal.rule;
      round.asked ??= {
        rule_id: id,
        severity,
        summary: limitWords(refusal).summary,
        instead: hint.hint_text,
      };
    }
  }
}

/** Whether a person may say that a limit is gone over. */
function isQuestion(refusal: LimitRefusal | undefined): boolean {
  return refusal?.rule.action === 'ASK' && refusal.reason === 'BUDGET_EXCEEDED';
}

function failed(rule: CompiledRule, error: unknown, round: Round): void {
  if (isSublError(error, 'policy_invalid')) throw error;
  // The name only: the message of an error may quote an argument.
  const note = error instanceof Error ? error.name : typeof error;
  round.steps?.push({ rule_id: rule.rule_id, kind: rule.kind, outcome: 'error', note });
  round.isAccessDecided = true;
  if (rule.onError.decision.action === 'ALLOW') round.allow ??= rule.onError;
  else round.refuse({ by: 'error', verdict: rule.onError });
}

function answerOf(snapshot: PolicySnapshot, round: Round, options: DecideOptions): Answer {
  const { refusal, steps } = round;
  if (refusal !== undefined) return refusalAnswer(snapshot, refusal, round.call, options);
  if (round.asked !== undefined)
    return askAnswer(snapshot.mode, round.asked, options.canAsk === true && round.call.identity.env !== 'ci');
  if (round.allow !== undefined) return enforced(snapshot.mode, round.allow);
  const { action, reason_code: note } = snapshot.noMatch.decision;
  steps?.push({ rule_id: null, kind: 'default', outcome: action === 'ALLOW' ? 'allowed' : 'blocked', note });
  return enforced(snapshot.mode, snapshot.noMatch);
}

/** A dedupe remembers what was allowed, and nothing else. */
function chargeOf({ charge }: Round, { action }: Decision): Charge {
  if (charge.length === 0) return NO_CHARGE;
  return action === 'ALLOW' ? charge : charge.filter(({ kind }) => kind !== 'dedupe');
}

function addTags(classes: readonly string[], to: string[]): void {
  for (const name of classes) if (!to.includes(name)) to.push(name);
}

function allTags({ tags, possibleTags }: Round): readonly string[] {
  return possibleTags.length === 0 ? tags : [...new Set([...tags, ...possibleTags])];
}
