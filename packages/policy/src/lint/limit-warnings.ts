import { type Finding, quoted } from '../problem/problem.js';
import type { PlainAllowRule, PlainRule } from '../snapshot/plain.js';
import { covers, type GlobTests } from './covers.js';

/**
 * Limits that never refuse a call, and limits that refuse every call; `overriding` are the allows above that
 * lift it.
 */
export function limitWarnings(
  rule: PlainRule,
  overriding: readonly PlainAllowRule[],
  globs: GlobTests,
  path: Finding['path'],
): readonly Finding[] {
  if (rule.kind === 'allow' || rule.kind === 'deny' || rule.kind === 'ask' || rule.kind === 'tag') return [];
  const name = quoted(rule.rule_id);
  const lifting = overriding.find((other) => covers(other.match, rule.match, globs));
  if (lifting !== undefined) {
    const message = `rule ${name} refuses nothing: allow ${quoted(lifting.rule_id)} overrides it for every call`;
    return [
      { code: 'limit_lifted', message, path, help: 'narrow the match of the allow, or remove the limit' },
    ];
  }
  const why = refusesAll(rule);
  if (why === undefined) return [];
  const message = `rule ${name} refuses every call that it matches: ${why}`;
  return [{ code: 'limit_always', message, path, help: 'raise the limit, or write a deny' }];
}

function refusesAll(rule: PlainRule): string | undefined {
  if (rule.kind === 'rate_limit') {
    const { capacity, cost_tokens_per_call: cost } = rule.effect.rate_limit;
    return cost > capacity ? `a call takes ${cost} tokens, and the bucket holds ${capacity}` : undefined;
  }
  if (rule.kind !== 'budget') return undefined;
  const {
    limit_calls,
    limit_cost_units: units,
    cost_units_per_call: cost,
    cost_units_from,
  } = rule.effect.budget;
  if (limit_calls === 0) return 'it allows no call';
  if (units === undefined || cost_units_from !== undefined || cost <= units) return undefined;
  return `a call costs ${cost} units, and ${units} are allowed`;
}
