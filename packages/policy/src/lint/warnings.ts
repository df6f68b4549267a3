import { type Finding, quoted } from '../problem/problem.js';
import type { PlainPolicy, PlainRule, PlainTagRule } from '../snapshot/plain.js';
import { contradiction } from './contradiction.js';
import { covers, GlobTests } from './covers.js';

/** What loads but is probably not meant: rules that cannot take effect, and rules that are switched off. */
export function findWarnings(policy: PlainPolicy): readonly Finding[] {
  const globs = new GlobTests();
  return policy.rules.flatMap((rule, at) => {
    const path = ['rules', at];
    if (!rule.enabled) {
      const message = `rule ${quoted(rule.rule_id)} is disabled`;
      return [{ code: 'rule_disabled', message, path, help: 'set `enabled: true`, or remove the rule' }];
    }
    const above = policy.rules.slice(0, at).filter(({ enabled }) => enabled);
    return [...openRanges(rule, path), ...ineffective(rule, above, globs, path)];
  });
}

function ineffective(
  rule: PlainRule,
  above: readonly PlainRule[],
  globs: GlobTests,
  path: Finding['path'],
): readonly Finding[] {
  const name = quoted(rule.rule_id);
  const why = missingClass(rule, above) ?? contradiction(rule.match.args);
  if (why !== undefined) {
    const message = `rule ${name} can never match: ${why}`;
    return [{ code: 'never_matches', message, path, help: 'correct the match, or remove the rule' }];
  }
  const cover = above.find((other) => other.kind !== 'tag' && covers(other.match, rule.match, globs));
  if (cover === undefined) return [];
  if (rule.kind === 'deny' && cover.kind === 'allow') {
    const message = `deny ${name} can never block: allow ${quoted(cover.rule_id)} above it matches the same calls`;
    return [{ code: 'deny_shadowed', message, path, help: 'move the deny above the allow' }];
  }
  const message = `rule ${name} is never reached: ${cover.kind} ${quoted(cover.rule_id)} above it matches the same calls`;
  return [{ code: 'rule_unreachable', message, path, help: 'move the rule up, or remove it' }];
}

function missingClass(rule: PlainRule, above: readonly PlainRule[]): string | undefined {
  const wanted = rule.match.risk_class;
  if (wanted === undefined) return undefined;
  const tags = above.filter((other): other is PlainTagRule => other.kind === 'tag');
  const given = new Set(tags.flatMap((tag) => tag.effect.tag.add_risk_class));
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
