import type { PolicyBundle, PolicyRule, RuleMatch, Severity } from '@subluminal/core-types';
import { canonicalize, compareCodePoints } from '@subluminal/core-types';
import { compileGlob } from '../pattern/glob.js';
import { plainKey } from '../source/keys.js';

type Scalar = string | number | boolean;
type Names = Readonly<Record<string, readonly string[]>>;

/** The normal form of a rule's match: lists sorted and without repetitions, globs normalised, empty parts left out. */
export interface PlainMatch {
  readonly server_name?: PlainNames;
  readonly tool_name?: PlainNames;
  readonly risk_class?: readonly string[];
  readonly args?: PlainArgs;
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
export interface PlainAccessRule extends PlainRuleCommon {
  readonly kind: 'allow' | 'deny';
  readonly effect: {
    readonly action: 'ALLOW' | 'BLOCK';
    readonly reason_code: string;
    readonly message: string;
  };
}
export interface PlainTagRule extends PlainRuleCommon {
  readonly kind: 'tag';
  readonly effect: { readonly tag: { readonly add_risk_class: readonly string[] } };
}
export type PlainRule = PlainAccessRule | PlainTagRule;

export interface PlainDefaults {
  readonly decision_on_error: 'ALLOW' | 'BLOCK';
  readonly fail_open_read_tools: false;
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

/** Everything of a bundle that decides or names a decision, and nothing that only describes it. */
export interface PlainPolicy {
  readonly policy_id: string;
  readonly version: string;
  readonly mode: 'observe' | 'guardrails';
  readonly defaults: PlainDefaults;
  readonly selectors: PlainSelectors;
  readonly rules: readonly PlainRule[];
}

/** The normal form of a rule, or undefined when this version does not enforce its kind. */
export function plainRule(rule: PolicyRule): PlainRule | undefined {
  const common = { rule_id: rule.rule_id, enabled: rule.enabled, severity: rule.severity };
  const match = plainMatch(rule.match);
  switch (rule.kind) {
    case 'allow':
    case 'deny':
      return { ...common, kind: rule.kind, match, effect: { ...rule.effect } };
    case 'tag':
      return {
        ...common,
        kind: 'tag',
        match,
        effect: { tag: { add_risk_class: sorted(rule.effect.tag.add_risk_class) } },
      };
    default:
      return undefined;
  }
}

/** The normal form of the selectors. */
export function plainSelectors(selectors: PolicyBundle['selectors']): PlainSelectors {
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

/** Every default written out. `fail_open_read_tools: true` is refused before this. */
export function plainDefaults(defaults: PolicyBundle['defaults']): PlainDefaults {
  const { decision_on_error, no_match } = defaults;
  return { decision_on_error, fail_open_read_tools: false, no_match };
}

function plainMatch(match: RuleMatch): PlainMatch {
  return {
    ...(match.server_name === undefined ? {} : { server_name: plainNames(match.server_name) }),
    ...(match.tool_name === undefined ? {} : { tool_name: plainNames(match.tool_name) }),
    ...(match.risk_class === undefined ? {} : { risk_class: sorted(match.risk_class) }),
    ...(match.args === undefined ? {} : { args: plainArgs(match.args) }),
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

function plainArgs(args: NonNullable<RuleMatch['args']>): PlainArgs {
  const { has_keys, key_equals, key_in, numeric_range } = args;
  return {
    ...(has_keys === undefined ? {} : { has_keys: sorted(has_keys) }),
    ...(key_equals === undefined ? {} : { key_equals: record(key_equals, (value) => value) }),
    ...(key_in === undefined ? {} : { key_in: record(key_in, sortedScalars) }),
    ...(numeric_range === undefined ? {} : { numeric_range: record(numeric_range, plainRange) }),
  };
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
