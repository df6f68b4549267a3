import type { Decision, Severity } from '@subluminal/core-types';
import { ruleErrorVerdict, type Verdict, verdict } from '../decide/verdict.js';
import { compileMatch } from '../match/compile-match.js';
import type { Condition } from '../match/condition.js';
import type { Prepared } from '../match/prepared.js';
import {
  groupOf,
  meterRule,
  meterScope,
  type MeterScope,
  type PolicyOwner,
  type Scope,
} from '../meter/charge.js';
import type { Amount } from '../meter/amount.js';
import type { Pattern, PatternPool } from '../pattern/pool.js';
import type { NameTest } from '../pattern/regex.js';
import type { PlainHint } from './plain-effects.js';
import type { PlainAllowRule, PlainDefaults, PlainDenyRule, PlainLimitRule, PlainRule } from './plain.js';

interface CompiledCommon {
  /** Its place among the rules. */
  readonly at: number;
  readonly rule_id: string;
  readonly enabled: boolean;
  readonly severity: Severity;
  readonly server: NameTest | undefined;
  readonly tool: NameTest | undefined;
  /** The patterns of the two, by which the rule is found. */
  readonly serverPatterns: readonly Pattern[] | undefined;
  readonly toolPatterns: readonly Pattern[] | undefined;
  /** The conditions besides the names. */
  readonly conditions: readonly Condition[];
  readonly onError: Verdict;
}

/** A rule that lets calls pass, and lifts the rules at the places `overrides`. */
export interface CompiledAllow extends CompiledCommon {
  readonly kind: 'allow';
  readonly verdict: Verdict;
  /** Empty: the rule decides access. Else it lifts these and decides nothing below. */
  readonly overrides: readonly number[];
}

/** A rule that refuses calls. `hint` is there where it has something to say to an agent. */
export interface CompiledDeny extends CompiledCommon {
  readonly kind: 'deny';
  readonly verdict: Verdict;
  readonly hint: PlainHint | undefined;
  readonly hide: boolean;
}

/** A rule that has a person asked. `summary` is what they and the agent read of it. */
export interface CompiledAsk extends CompiledCommon {
  readonly kind: 'ask';
  readonly summary: string;
  /** A way for the agent to do without. */
  readonly instead: string | undefined;
}

/** A rule that gives risk classes. */
export interface CompiledTag extends CompiledCommon {
  readonly kind: 'tag';
  readonly classes: readonly string[];
}

interface CompiledLimitCommon extends CompiledCommon {
  readonly scope: Scope;
  /** The scope as charges name it. */
  readonly counted: MeterScope;
  /** The rule as charges name it. */
  readonly meter: string;
  /** Under which the state keeps its meters. */
  readonly group: string;
  readonly hint: PlainHint;
  /** `ASK`: of a budget alone. */
  readonly action: Exclude<Decision['action'], 'ALLOW'> | 'ASK';
  readonly terminate: { readonly code: string; readonly message: string | undefined } | undefined;
}
export interface CompiledBudget extends CompiledLimitCommon {
  readonly kind: 'budget';
  readonly limitCalls: number;
  readonly limitWrites: number;
  readonly limitCost: Amount;
  readonly costPerCall: Amount;
  readonly costFrom: string | undefined;
}
export interface CompiledRateLimit extends CompiledLimitCommon {
  readonly kind: 'rate_limit';
  readonly capacity: number;
  readonly refill_tokens: number;
  readonly refill_period_ms: number;
  readonly tokens: number;
  readonly backoffMs: number;
}
export interface CompiledBreaker extends CompiledLimitCommon {
  readonly kind: 'breaker';
  readonly error_threshold: number;
  readonly window_ms: number;
  readonly repeat_threshold: number;
  readonly repeat_window_ms: number;
  readonly latency_threshold_ms: number;
}
export interface CompiledDedupe extends CompiledLimitCommon {
  readonly kind: 'dedupe';
  readonly window_ms: number;
}

/** A rule with a memory. */
export type CompiledLimit = CompiledBudget | CompiledRateLimit | CompiledBreaker | CompiledDedupe;
export type CompiledRule = CompiledAllow | CompiledDeny | CompiledAsk | CompiledTag | CompiledLimit;

/**
 * Compiles one rule, the one at the place `at`; `places` are those of all rules by their ids, `pool` their
 * patterns, `prepared` the objects of the call that they are asked about, `owner` whose policy it is.
 */
export function compileRule(
  rule: PlainRule,
  at: number,
  defaults: PlainDefaults,
  {
    places,
    pool,
    prepared,
    owner,
  }: {
    readonly places: ReadonlyMap<string, number>;
    readonly pool: PatternPool;
    readonly prepared: Prepared;
    readonly owner: PolicyOwner;
  },
): CompiledRule {
  const { rule_id, enabled, severity } = rule;
  const onError = ruleErrorVerdict(defaults.decision_on_error, rule_id);
  const { server, tool, conditions } = compileMatch(
    rule.match,
    pool,
    prepared,
    rule.kind === 'allow' ? 'every' : 'some',
    rule.kind === 'ask' ? 'outside' : 'inside',
  );
  const common = {
    at,
    rule_id,
    enabled,
    severity,
    server: server?.test,
    tool: tool?.test,
    serverPatterns: server?.patterns,
    toolPatterns: tool?.patterns,
    conditions: Object.freeze(conditions),
    onError,
  };
  return Object.freeze(compiled(rule, common, places, owner));
}

function compiled(
  rule: PlainRule,
  common: CompiledCommon,
  places: ReadonlyMap<string, number>,
  owner: PolicyOwner,
): CompiledRule {
  switch (rule.kind) {
    case 'allow':
      return {
        ...common,
        kind: 'allow',
        verdict: accessVerdict(rule),
        overrides: overriddenBy(rule, places),
      };
    case 'deny':
      return { ...common, kind: 'deny', verdict: accessVerdict(rule), ...denyParts(rule) };
    case 'ask': {
      const { message, hint_text: instead } = rule.effect;
      const summary = message === '' ? `rule \`${rule.rule_id}\` asks a person` : message;
      return { ...common, kind: 'ask', summary, instead };
    }
    case 'tag':
      return { ...common, kind: 'tag', classes: rule.effect.tag.add_risk_class };
    default:
      return compiledLimit(rule, common, owner);
  }
}

function compiledLimit(rule: PlainLimitRule, common: CompiledCommon, owner: PolicyOwner): CompiledLimit {
  const whose = { ruleId: rule.rule_id, owner };
  switch (rule.kind) {
    case 'budget': {
      const { budget } = rule.effect;
      return {
        ...common,
        ...limitParts(whose, budget, budget.on_exceed),
        kind: 'budget',
        limitCalls: budget.limit_calls ?? Infinity,
        limitWrites: budget.limit_write_actions ?? Infinity,
        limitCost: { units: budget.limit_cost_units ?? Infinity, micros: 0 },
        costPerCall: { units: budget.cost_units_per_call, micros: 0 },
        costFrom: budget.cost_units_from,
      };
    }
    case 'rate_limit': {
      const { rate_limit } = rule.effect;
      return {
        ...common,
        ...limitParts(whose, rate_limit, rate_limit.on_limit),
        kind: 'rate_limit',
        capacity: rate_limit.capacity,
        refill_tokens: rate_limit.refill_tokens,
        refill_period_ms: rate_limit.refill_period_ms,
        tokens: rate_limit.cost_tokens_per_call,
        backoffMs: rate_limit.backoff_ms ?? 0,
      };
    }
    case 'breaker': {
      const { breaker } = rule.effect;
      return {
        ...common,
        ...limitParts(whose, breaker, breaker.on_trip),
        kind: 'breaker',
        error_threshold: breaker.error_threshold,
        window_ms: breaker.window_ms,
        repeat_threshold: breaker.repeat_threshold,
        repeat_window_ms: breaker.repeat_window_ms,
        latency_threshold_ms: breaker.latency_threshold_ms ?? 0,
      };
    }
    case 'dedupe': {
      const { dedupe } = rule.effect;
      return {
        ...common,
        ...limitParts(whose, dedupe, dedupe.on_duplicate),
        kind: 'dedupe',
        window_ms: dedupe.window_ms,
      };
    }
  }
}

function limitParts(
  { ruleId, owner }: { readonly ruleId: string; readonly owner: PolicyOwner },
  limit: PlainHint & {
    readonly scope: Scope;
    readonly terminate_code?: string;
    readonly terminate_message?: string;
  },
  action: CompiledLimitCommon['action'],
): Pick<CompiledLimitCommon, 'scope' | 'counted' | 'meter' | 'group' | 'hint' | 'action' | 'terminate'> {
  const { scope, terminate_code: code, terminate_message: message } = limit;
  const terminate = code === undefined ? undefined : { code, message };
  const counted = meterScope(scope, owner);
  const meter = meterRule(ruleId, owner);
  return { scope, counted, meter, group: groupOf(counted, meter), hint: limit, action, terminate };
}

function denyParts({ effect }: PlainDenyRule): Pick<CompiledDeny, 'hint' | 'hide'> {
  return { hint: effect.hint_text === undefined ? undefined : effect, hide: effect.hide === true };
}

function overriddenBy({ effect }: PlainAllowRule, places: ReadonlyMap<string, number>): readonly number[] {
  return (effect.overrides ?? []).flatMap((id) => places.get(id) ?? []);
}

function accessVerdict({ rule_id, severity, effect }: PlainAllowRule | PlainDenyRule): Verdict {
  const { action, reason_code, message } = effect;
  const plain = `rule \`${rule_id}\` ${action === 'ALLOW' ? 'allows' : 'blocks'} this call`;
  return verdict({ action, rule_id, severity, reason_code, summary: message === '' ? plain : message });
}
