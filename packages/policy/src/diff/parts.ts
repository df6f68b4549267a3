import type { PlainLimitRule, PlainRule } from '../snapshot/plain.js';

/** Whether a rule is one that counts. */
export function isLimit(rule: PlainRule): rule is PlainLimitRule {
  return rule.kind !== 'allow' && rule.kind !== 'deny' && rule.kind !== 'ask' && rule.kind !== 'tag';
}

/** Whether a rule can refuse a call. */
export function refuses(rule: PlainRule): boolean {
  return rule.kind === 'deny' || rule.kind === 'ask' || isLimit(rule);
}

/** The action of a rule on a call that it refuses; `ALLOW` and `TAG` for those that refuse none. */
function actionOf(rule: PlainRule): string {
  switch (rule.kind) {
    case 'allow':
    case 'deny':
    case 'ask':
      return rule.effect.action;
    case 'tag':
      return 'TAG';
    case 'budget':
      return rule.effect.budget.on_exceed;
    case 'rate_limit':
      return rule.effect.rate_limit.on_limit;
    case 'breaker':
      return rule.effect.breaker.on_trip;
    case 'dedupe':
      return rule.effect.dedupe.on_duplicate;
  }
}

/** Whether a rule ends the run: what comes behind it in the run is refused too. */
export function endsRuns(rule: PlainRule): boolean {
  return actionOf(rule) === 'TERMINATE_RUN';
}

/** The rules that an allow lifts. */
export function overridesOf(rule: PlainRule): readonly string[] {
  return rule.kind === 'allow' ? (rule.effect.overrides ?? []) : [];
}
