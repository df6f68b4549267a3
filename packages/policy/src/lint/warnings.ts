import { PLANE_CLASSES } from '@subluminal/core-types';
import { type Finding, quoted } from '../problem/problem.js';
import type { PlainAllowRule, PlainPolicy, PlainRule } from '../snapshot/plain.js';
import { contradiction } from './contradiction.js';
import { GlobTests } from './covers.js';
import { hintWarnings } from './hint-warnings.js';
import { limitWarnings } from './limit-warnings.js';
import { decidesAccess, Shadows } from './shadows.js';
import { toolWarnings } from './tools.js';
import { unreadWarnings } from './unread.js';
import { worldWarnings } from '../world/warnings.js';

/**
 * Texts that load but are probably not meant: rules that cannot take effect, and rules that are switched off.
 */
export function findWarnings(policy: PlainPolicy): readonly Finding[] {
  const shadows = new Shadows(policy);
  const globs = new GlobTests();
  /**
   * The state above the rule that is looked at: the classes that tags add, and the allows that override.
   */
  const above: Above = { classes: new Set(PLANE_CLASSES), overrides: new Map() };
  const ofRules = policy.rules.flatMap((rule, at): readonly Finding[] => {
    const path = ['rules', at];
    if (!rule.enabled) {
      const message = `rule ${quoted(rule.rule_id)} is disabled`;
      return [{ code: 'rule_disabled', message, path, help: 'set `enabled: true`, or remove the rule' }];
    }
    const findings = [
      ...openRanges(rule, path),
      ...ineffective(rule, above, () => shadows.above(rule, at), path),
      ...uncountedWrites(rule, above, path),
      ...limitWarnings(rule, above.overrides.get(rule.rule_id) ?? [], globs, path),
      ...hintWarnings(rule, policy, at),
    ];
    remember(rule, above);
    return findings;
  });
  return [...ofRules, ...unreadWarnings(policy), ...toolWarnings(policy), ...worldWarnings(policy.world)];
}

interface Above {
  readonly classes: Set<string>;
  readonly overrides: Map<string, PlainAllowRule[]>;
}

function remember(rule: PlainRule, { classes, overrides }: Above): void {
  if (rule.kind === 'tag') for (const name of rule.effect.tag.add_risk_class) classes.add(name);
  if (rule.kind !== 'allow') return;
  for (const id of rule.effect.overrides ?? []) {
    const known = overrides.get(id);
    if (known === undefined) overrides.set(id, [rule]);
    else known.push(rule);
  }
}

function ineffective(
  rule: PlainRule,
  above: Above,
  shadow: () => PlainRule | undefined,
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
  if (!decidesAccess(rule) && rule.kind !== 'ask') return [];
  const cover = shadow();
  if (cover === undefined) return [];
  if (rule.kind === 'deny' && cover.kind === 'allow') {
    const message = `deny ${name} can never block: allow ${quoted(cover.rule_id)} above it matches the same calls`;
    return [{ code: 'deny_shadowed', message, path, help: 'move the deny above the allow' }];
  }
  if (rule.kind === 'ask') {
    const message = `ask ${name} can never ask: ${cover.kind} ${quoted(cover.rule_id)} above it matches the same calls`;
    return [{ code: 'rule_unreachable', message, path, help: 'move the ask up, or remove it' }];
  }
  const message = `rule ${name} is never reached: ${cover.kind} ${quoted(cover.rule_id)} above it matches the same calls`;
  return [{ code: 'rule_unreachable', message, path, help: 'move the rule up, or remove it' }];
}

function uncountedWrites(rule: PlainRule, above: Above, path: Finding['path']): readonly Finding[] {
  if (rule.kind !== 'budget' || rule.effect.budget.limit_write_actions === undefined) return [];
  if (above.classes.has('write_like')) return [];
  const message =
    'no tag rule above adds `write_like`: only calls whose tools say of themselves that they write are counted';
  const at = [...path, 'effect', 'budget', 'limit_write_actions'];
  return [{ code: 'never_matches', message, path: at, help: 'add a tag rule above that adds `write_like`' }];
}

function missingClass(rule: PlainRule, above: Above): string | undefined {
  const wanted = rule.match.risk_class;
  if (wanted === undefined) return undefined;
  if (wanted.some((name) => above.classes.has(name))) return undefined;
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
