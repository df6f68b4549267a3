import { canonicalize } from '@subluminal/core-types';
import { quoted } from '../problem/problem.js';
import type { PlainPolicy, PlainRule } from '../snapshot/plain.js';
import type { PolicySnapshot } from '../snapshot/snapshot.js';

/** What changed between two policies. Both flags may be set. */
export interface PolicyDiff {
  /** A call that the old policy blocks may be allowed by the new one. Never false where that can happen. */
  readonly loosened: boolean;
  /** A call that the old policy allows may be blocked by the new one. Never false where that can happen. */
  readonly tightened: boolean;
  /** One readable line for each change, the policy's own first, then the rules in their order. */
  readonly changes: readonly string[];
}

interface Change {
  readonly text: string;
  readonly loosens: boolean;
  readonly tightens: boolean;
}

/**
 * Compares two policies, erring on the side of saying that something loosened or tightened. Rules that fail are counted
 * only through `decision_on_error`.
 */
export function diffSummary(before: PolicySnapshot, after: PolicySnapshot): PolicyDiff {
  const changes = [...frameChanges(before.plain, after.plain), ...ruleChanges(before.plain, after.plain)];
  return {
    loosened: changes.some(({ loosens }) => loosens),
    tightened: changes.some(({ tightens }) => tightens),
    changes: changes.map(({ text }) => text),
  };
}

function frameChanges(before: PlainPolicy, after: PlainPolicy): readonly Change[] {
  const changes = [
    ...changed('policy_id', before.policy_id, after.policy_id, none),
    ...changed('version', before.version, after.version, none),
    ...changed('mode', before.mode, after.mode, towards('observe')),
    ...changed(
      'defaults.decision_on_error',
      before.defaults.decision_on_error,
      after.defaults.decision_on_error,
      towards('ALLOW'),
    ),
    ...changed('defaults.no_match', before.defaults.no_match, after.defaults.no_match, towards('ALLOW')),
  ];
  if (same(before.selectors, after.selectors)) return changes;
  // An identity that no policy selects is blocked; one that leaves this policy may be let in by another.
  return [...changes, { text: 'selectors changed', loosens: true, tightens: true }];
}

type Effect = (to: string) => Pick<Change, 'loosens' | 'tightens'>;

const none: Effect = () => ({ loosens: false, tightens: false });

function towards(loose: string): Effect {
  return (to) => ({ loosens: to === loose, tightens: to !== loose });
}

function changed(what: string, from: string, to: string, effect: Effect): readonly Change[] {
  return from === to ? [] : [{ text: `${what}: ${quoted(from)} → ${quoted(to)}`, ...effect(to) }];
}

function ruleChanges(before: PlainPolicy, after: PlainPolicy): readonly Change[] {
  const old = new Map(before.rules.map((rule) => [rule.rule_id, rule]));
  const fresh = new Map(after.rules.map((rule) => [rule.rule_id, rule]));
  const removed = before.rules
    .filter(({ rule_id }) => !fresh.has(rule_id))
    .map((rule) => ({ text: `removed ${name(rule)}`, ...whenGone(rule, before) }));
  const kept = after.rules.flatMap((rule) => {
    const previous = old.get(rule.rule_id);
    if (previous === undefined) return [{ text: `added ${name(rule)}`, ...whenNew(rule, after) }];
    return ruleChange(previous, rule, before, after);
  });
  return [...removed, ...kept, ...reordered(before, after)];
}

function ruleChange(
  from: PlainRule,
  to: PlainRule,
  before: PlainPolicy,
  after: PlainPolicy,
): readonly Change[] {
  if (same(from, to)) return [];
  if (from.enabled && !to.enabled) return [{ text: `disabled ${name(to)}`, ...whenGone(from, before) }];
  if (!from.enabled && to.enabled) return [{ text: `enabled ${name(to)}`, ...whenNew(to, after) }];
  if (!to.enabled) return [{ text: `changed ${name(to)}, which is disabled`, ...none('') }];
  const decides = from.kind !== to.kind || !same(from.match, to.match) || to.kind === 'tag';
  const what = decides ? 'changed what' : 'changed the words of';
  const text = decides ? `${what} ${name(to)} does` : `${what} ${name(to)}`;
  return [{ text, loosens: decides, tightens: decides }];
}

function whenNew(rule: PlainRule, policy: PlainPolicy): Pick<Change, 'loosens' | 'tightens'> {
  if (!rule.enabled) return none('');
  switch (rule.kind) {
    case 'deny':
      return { loosens: false, tightens: true };
    case 'allow':
      return { loosens: canOverride(rule, policy), tightens: false };
    case 'tag':
    default:
      return { loosens: true, tightens: true };
  }
}

function whenGone(rule: PlainRule, policy: PlainPolicy): Pick<Change, 'loosens' | 'tightens'> {
  const { loosens, tightens } = whenNew(rule, policy);
  return { loosens: tightens, tightens: loosens };
}

/** Whether there is a block that an allow can forestall: an enabled deny below it, or the default. */
function canOverride(rule: PlainRule, policy: PlainPolicy): boolean {
  if (policy.defaults.no_match === 'BLOCK') return true;
  const below = policy.rules.slice(policy.rules.findIndex(({ rule_id }) => rule_id === rule.rule_id) + 1);
  return below.some(({ kind, enabled }) => enabled && kind === 'deny');
}

function reordered(before: PlainPolicy, after: PlainPolicy): readonly Change[] {
  const ids = (from: PlainPolicy, other: PlainPolicy): readonly string[] => {
    const known = new Set(other.rules.filter(({ enabled }) => enabled).map(({ rule_id }) => rule_id));
    return from.rules
      .filter(({ enabled, rule_id }) => enabled && known.has(rule_id))
      .map(({ rule_id }) => rule_id);
  };
  if (same(ids(before, after), ids(after, before))) return [];
  return [{ text: 'the order of the rules changed', loosens: true, tightens: true }];
}

function same(a: unknown, b: unknown): boolean {
  return canonicalize(a) === canonicalize(b);
}

function name(rule: PlainRule): string {
  return `${rule.kind} ${quoted(rule.rule_id)}`;
}
