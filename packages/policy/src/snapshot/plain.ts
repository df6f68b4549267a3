import type { PolicyBundle, PolicyRule, RuleMatch, Severity } from '@subluminal/core-types';
import { canonicalize, compareCodePoints } from '@subluminal/core-types';
import type { NamedEffects } from '@subluminal/readings/facts';
import { compileGlob } from '../pattern/glob.js';
import { plainKey } from '../source/keys.js';
import { type PlainWorld, plainWorld } from '../world/plain.js';
import {
  plainCommand,
  plainHost,
  plainPath,
  plainSql,
  plainTexts,
  type PlainCommand,
  type PlainHost,
  type PlainPath,
  type PlainSql,
  type PlainText,
  type Sets,
} from './plain-objects.js';
import {
  plainAllow,
  plainBreaker,
  plainBudget,
  plainDedupe,
  plainDeny,
  plainRateLimit,
  type PlainAllowEffect,
  type PlainBreaker,
  type PlainBudget,
  type PlainDedupe,
  type PlainDenyEffect,
  type PlainRateLimit,
} from './plain-effects.js';

type Scalar = string | number | boolean;
type Names = Readonly<Record<string, readonly string[]>>;

/** The modes of a policy. */
export type PolicyMode = 'observe' | 'guardrails' | 'control';

/**
 * The normal form of a rule's match: lists sorted and without repetitions, globs normalised, empty parts left
 * out.
 */
export interface PlainMatch {
  readonly server_name?: PlainNames;
  readonly tool_name?: PlainNames;
  readonly risk_class?: readonly string[];
  readonly args?: PlainArgs;
  readonly time?: PlainTime;
  readonly path?: PlainPath;
  readonly command?: PlainCommand;
  readonly host?: PlainHost;
  readonly sql?: PlainSql;
}
export interface PlainTime {
  readonly utc_hours?: readonly number[];
}
export interface PlainNames {
  readonly glob?: readonly string[];
  readonly regex?: readonly string[];
}
/** Keyed by argument; the records have no prototype. */
export interface PlainArgs {
  readonly has_keys?: readonly string[];
  readonly key_equals?: Readonly<Record<string, Scalar>>;
  readonly key_in?: Readonly<Record<string, readonly Scalar[]>>;
  readonly numeric_range?: Readonly<Record<string, PlainRange>>;
  readonly text?: readonly PlainText[];
}
export interface PlainRange {
  readonly min?: number;
  readonly max?: number;
}

interface PlainRuleCommon {
  readonly rule_id: string;
  readonly enabled: boolean;
  readonly severity: Severity;
  readonly match: PlainMatch;
}
export interface PlainAllowRule extends PlainRuleCommon {
  readonly kind: 'allow';
  readonly effect: PlainAllowEffect;
}
export interface PlainDenyRule extends PlainRuleCommon {
  readonly kind: 'deny';
  readonly effect: PlainDenyEffect;
}
export interface PlainAskEffect {
  readonly action: 'ASK';
  readonly message: string;
  readonly hint_text?: string;
}
/** A person is asked for each call. */
export interface PlainAskRule extends PlainRuleCommon {
  readonly kind: 'ask';
  readonly effect: PlainAskEffect;
}
export type PlainAccessRule = PlainAllowRule | PlainDenyRule;
export interface PlainTagRule extends PlainRuleCommon {
  readonly kind: 'tag';
  readonly effect: { readonly tag: { readonly add_risk_class: readonly string[] } };
}
export interface PlainBudgetRule extends PlainRuleCommon {
  readonly kind: 'budget';
  readonly effect: { readonly budget: PlainBudget };
}
export interface PlainRateLimitRule extends PlainRuleCommon {
  readonly kind: 'rate_limit';
  readonly effect: { readonly rate_limit: PlainRateLimit };
}
export interface PlainBreakerRule extends PlainRuleCommon {
  readonly kind: 'breaker';
  readonly effect: { readonly breaker: PlainBreaker };
}
export interface PlainDedupeRule extends PlainRuleCommon {
  readonly kind: 'dedupe';
  readonly effect: { readonly dedupe: PlainDedupe };
}
/** Rules with a memory. */
export type PlainLimitRule = PlainBudgetRule | PlainRateLimitRule | PlainBreakerRule | PlainDedupeRule;
export type PlainRule = PlainAccessRule | PlainAskRule | PlainTagRule | PlainLimitRule;

export interface PlainDefaults {
  readonly decision_on_error: 'ALLOW' | 'BLOCK';
  readonly fail_open_read_tools: boolean;
  readonly no_match: 'ALLOW' | 'BLOCK';
}

export interface PlainSelectors {
  readonly env?: readonly string[];
  readonly agent_id?: readonly string[];
  readonly client?: readonly string[];
  readonly workload?: {
    readonly namespace?: readonly string[];
    readonly service_account?: readonly string[];
    readonly repo?: readonly string[];
    readonly branch?: readonly string[];
    readonly labels?: Readonly<Record<string, string>>;
  };
}

/** The keys of some tools that hold files, or commands. */
export interface PlainToolKeys {
  readonly server_name?: PlainNames;
  readonly tool_name?: PlainNames;
  readonly paths?: readonly string[];
  readonly commands?: readonly string[];
}

/** Everything of a bundle that decides or names a decision, and nothing that only describes it. */
export interface PlainPolicy {
  readonly policy_id: string;
  readonly version: string;
  readonly mode: PolicyMode;
  readonly defaults: PlainDefaults;
  readonly selectors: PlainSelectors;
  readonly rules: readonly PlainRule[];
  readonly tools?: readonly PlainToolKeys[];
  readonly programs?: Readonly<Record<string, NamedEffects>>;
  readonly world?: PlainWorld;
}

/** The normal form of a rule. */
function plainRule(rule: PolicyRule, sets: Sets): PlainRule {
  const { rule_id, enabled, severity } = rule;
  const common = { rule_id, enabled, severity, match: plainMatch(rule.match, sets) };
  switch (rule.kind) {
    case 'allow':
      return { ...common, kind: 'allow', effect: plainAllow(rule.effect) };
    case 'deny':
      return { ...common, kind: 'deny', effect: plainDeny(rule.effect) };
    case 'ask':
      return { ...common, kind: 'ask', effect: plainAsk(rule.effect) };
    case 'tag': {
      const add_risk_class = sorted(rule.effect.tag.add_risk_class);
      return { ...common, kind: 'tag', effect: { tag: { add_risk_class } } };
    }
    case 'budget':
      return { ...common, kind: 'budget', effect: { budget: plainBudget(rule.effect.budget) } };
    case 'rate_limit':
      return {
        ...common,
        kind: 'rate_limit',
        effect: { rate_limit: plainRateLimit(rule.effect.rate_limit) },
      };
    case 'breaker':
      return { ...common, kind: 'breaker', effect: { breaker: plainBreaker(rule.effect.breaker) } };
    case 'dedupe':
      return { ...common, kind: 'dedupe', effect: { dedupe: plainDedupe(rule.effect.dedupe) } };
  }
}

function plainAsk({
  action,
  message,
  hint_text,
}: Extract<PolicyRule, { kind: 'ask' }>['effect']): PlainAskEffect {
  return { action, message, ...(hint_text === undefined ? {} : { hint_text }) };
}

/** The normal form of the selectors. */
function plainSelectors(selectors: PolicyBundle['selectors']): PlainSelectors {
  const { env, agent_id, client, workload } = selectors;
  const lists = sortedLists({ env, agent_id, client });
  if (workload === undefined) return lists;
  const { labels, ...places } = workload;
  const inner = {
    ...sortedLists(places),
    ...(labels === undefined ? {} : { labels: record(labels, (value) => value) }),
  };
  return Object.keys(inner).length === 0 ? lists : { ...lists, workload: inner };
}

/** Every default written out. */
function plainDefaults(defaults: PolicyBundle['defaults']): PlainDefaults {
  const { decision_on_error, fail_open_read_tools, no_match } = defaults;
  return { decision_on_error, fail_open_read_tools, no_match };
}

function plainProgram({ reads, writes, deletes, network }: ProgramEffects): NamedEffects {
  return { ...sortedLists({ reads, writes, deletes }), ...(network === true ? { network } : {}) };
}

type ProgramEffects = NonNullable<PolicyBundle['programs']>[string];

/** The order of the tools decides nothing. */
function plainTools(tools: NonNullable<PolicyBundle['tools']>): readonly PlainToolKeys[] {
  const plain = tools.map(({ server_name, tool_name, paths, commands }) => ({
    ...(server_name === undefined ? {} : { server_name: plainNames(server_name) }),
    ...(tool_name === undefined ? {} : { tool_name: plainNames(tool_name) }),
    ...sortedLists({ paths, commands }),
  }));
  const byText = new Map(plain.map((one) => [canonicalize(one), one]));
  return [...byText].toSorted(([a], [b]) => compareCodePoints(a, b)).map(([, one]) => one);
}

/** The normal form of a whole bundle. */
export function plainPolicy(bundle: PolicyBundle): PlainPolicy {
  const { policy_id, version, mode } = bundle;
  return {
    policy_id,
    version,
    mode,
    defaults: plainDefaults(bundle.defaults),
    selectors: plainSelectors(bundle.selectors),
    rules: bundle.rules.map((rule) => plainRule(rule, bundle.sets ?? {})),
    ...(bundle.tools === undefined ? {} : { tools: plainTools(bundle.tools) }),
    ...(bundle.programs === undefined ? {} : { programs: record(bundle.programs, plainProgram) }),
    ...(bundle.world === undefined ? {} : { world: plainWorld(bundle.world) }),
  };
}

function plainMatch(match: RuleMatch, sets: Sets): PlainMatch {
  return {
    ...(match.server_name === undefined ? {} : { server_name: plainNames(match.server_name) }),
    ...(match.tool_name === undefined ? {} : { tool_name: plainNames(match.tool_name) }),
    ...(match.risk_class === undefined ? {} : { risk_class: sorted(match.risk_class) }),
    ...(match.args === undefined ? {} : { args: plainArgs(match.args, sets) }),
    ...(match.time === undefined ? {} : { time: plainTime(match.time) }),
    ...(match.path === undefined ? {} : { path: plainPath(match.path, sets) }),
    ...(match.command === undefined ? {} : { command: plainCommand(match.command, sets) }),
    ...(match.host === undefined ? {} : { host: plainHost(match.host, sets) }),
    ...(match.sql === undefined ? {} : { sql: plainSql(match.sql, sets) }),
  };
}

function plainNames(names: NonNullable<RuleMatch['server_name']>): PlainNames {
  const glob = names.glob?.map(normalGlob);
  return sortedLists({ glob, regex: names.regex });
}

function normalGlob(source: string): string {
  const glob = compileGlob(source);
  return glob.ok ? glob.normal : source;
}

function plainArgs(args: NonNullable<RuleMatch['args']>, sets: Sets): PlainArgs {
  const { has_keys, key_equals, key_in, numeric_range, text } = args;
  return {
    ...(has_keys === undefined ? {} : { has_keys: sorted(has_keys) }),
    ...(key_equals === undefined ? {} : { key_equals: record(key_equals, (value) => value) }),
    ...(key_in === undefined ? {} : { key_in: record(key_in, sortedScalars) }),
    ...(numeric_range === undefined ? {} : { numeric_range: record(numeric_range, plainRange) }),
    ...(text === undefined ? {} : { text: plainTexts(text, sets) }),
  };
}

function plainTime({ utc_hours }: NonNullable<RuleMatch['time']>): PlainTime {
  return utc_hours === undefined ? {} : { utc_hours: [...new Set(utc_hours)].toSorted((a, b) => a - b) };
}

function plainRange({ min, max }: { min?: number | undefined; max?: number | undefined }): PlainRange {
  return { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) };
}

function record<From, To>(
  from: Readonly<Record<string, From>>,
  map: (value: From) => To,
): Readonly<Record<string, To>> {
  // Without a prototype, `__proto__` is a key like any other.
  const to: Record<string, To> = Object.create(null);
  for (const [key, value] of Object.entries(from)) to[plainKey(key)] = map(value);
  return to;
}

function sortedLists<Key extends string>(
  lists: Readonly<Partial<Record<Key, readonly string[] | undefined>>>,
): Partial<Record<Key, readonly string[]>>;
function sortedLists(lists: Readonly<Record<string, readonly string[] | undefined>>): Names {
  const result: Record<string, readonly string[]> = {};
  for (const [key, list] of Object.entries(lists)) if (list !== undefined) result[key] = sorted(list);
  return result;
}

function sorted(list: readonly string[]): readonly string[] {
  return [...new Set(list)].toSorted(compareCodePoints);
}

function sortedScalars(list: readonly Scalar[]): readonly Scalar[] {
  const byText = new Map(list.map((value) => [canonicalize(value), value]));
  return [...byText].toSorted(([a], [b]) => compareCodePoints(a, b)).map(([, value]) => value);
}
