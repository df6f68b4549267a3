import { type Finding, quoted } from '../problem/problem.js';
import type { PlainPolicy, PlainRule, PlainTagRule } from '../snapshot/plain.js';
import { contradiction } from './contradiction.js';
import { covers, GlobTests } from './covers.js';
import { hintWarnings } from './hint-warnings.js';
import { limitWarnings } from './limit-warnings.js';

/** What loads but is probably not meant: rules that cannot take effect, and rules that are switched off. */
export function findWarnings(policy: PlainPolicy): readonly Finding[] {
  const globs = new GlobTests();
  const lifted = new Set(
    policy.rules.flatMap((rule) => (rule.kind === 'allow' ? (rule.effect.overrides ?? []) : [])),
  );
  return policy.rules.flatMap((rule, at) => {
    const path = ['rules', at];
    if (!rule.enabled) {
      const message = `rule ${quoted(rule.rule_id)} is disabled`;
      return [{ code: 'rule_disabled', message, path, help: 'set `enabled: true`, or remove the rule' }];
    }
    const above = policy.rules.slice(0, at).filter(({ enabled }) => enabled);
    return [
      ...openRanges(rule, path),
      ...ineffective(rule, above, { globs, lifted }, path),
      ...uncountedWrites(rule, above, path),
      ...limitWarnings(rule, above, globs, path),
      ...hintWarnings(rule, policy, at),
    ];
  });
}

function ineffective(
  rule: PlainRule,
  above: readonly PlainRule[],
  { globs, lifted }: { readonly globs: GlobTests; readonly lifted: ReadonlySet<string> },
  path: Finding['path'],
): readonly Finding[] {
  const name = quoted(rule.rule_id);
  const missing = missingClass(rule, above);
  const why = missing ?? contradiction(rule.match.args);
  if (why !== undefined) {
    const otherwise = missing === undefined ? '' : '; only what a tool says of itself could';
    const message = `rule ${name} can never match: ${why}${otherwise}`;
    return [{ code: 'never_matches', message, path, help: 'correct the match, or remove the rule' }];
  }
  if (!decidesAccess(rule)) return [];
  const cover = above.find(
    (other) => decidesAccess(other) && !lifted.has(other.rule_id) && covers(other.match, rule.match, globs),
  );
  if (cover === undefined) return [];
  if (rule.kind === 'deny' && cover.kind === 'allow') {
    const message = `deny ${name} can never block: allow ${quoted(cover.rule_id)} above it matches the same calls`;
    return [{ code: 'deny_shadowed', message, path, help: 'move the deny above the allow' }];
  }
  const message = `rule ${name} is never reached: ${cover.kind} ${quoted(cover.rule_id)} above it matches the same calls`;
  return [{ code: 'rule_unreachable', message, path, help: 'move the rule up, or remove it' }];
}

/** Limits, tags and allows that override are asked wherever they stand; only of these the first that matches decides. */
function decidesAccess(rule: PlainRule): boolean {
  return rule.kind === 'deny' || (rule.kind === 'allow' && rule.effect.overrides === undefined);
}

function uncountedWrites(
  rule: PlainRule,
  above: readonly PlainRule[],
  path: Finding['path'],
): readonly Finding[] {
  if (rule.kind !== 'budget' || rule.effect.budget.limit_write_actions === undefined) return [];
  if (classesOf(above).has('write_like')) return [];
  const message =
    'no tag rule above adds `write_like`: only calls whose tools say of themselves that they write are counted';
  const at = [...path, 'effect', 'budget', 'limit_write_actions'];
  return [{ code: 'never_matches', message, path: at, help: 'add a tag rule above that adds `write_like`' }];
}

function classesOf(rules: readonly PlainRule[]): ReadonlySet<string> {
  const tags = rules.filter((other): other is PlainTagRule => other.kind === 'tag');
  return new Set(tags.flatMap((tag) => tag.effect.tag.add_risk_class));
}

function missingClass(rule: PlainRule, above: readonly PlainRule[]): string | undefined {
  const wanted = rule.match.risk_class;
  if (wanted === undefined) return undefined;
  const given = classesOf(above);
  if (wanted.some((name) => given.has(name))) return undefined;
  return `no tag rule above it adds ${wanted.map(quoted).join(' or ')}`;
}

function openRanges(rule: PlainRule, path: Finding['path']): readonly Finding[] {
  return Object.entries(rule.match.args?.numeric_range ?? {}).flatMap(([key, range]) => {
    if (range.min !== undefined || range.max !== undefined) return [];
    const message = `the range of ${quoted(key)} has neither \`min\` nor \`max\`: it matches every number`;
    const at = [...path, 'match', 'args', 'numeric_range', key];
    return [{ code: 'range_open', message, path: at, help: 'add `min` or `max`' }];
  });
}
