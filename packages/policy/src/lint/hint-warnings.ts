import { type Finding, quoted } from '../problem/problem.js';
import type { PlainBudget, PlainHint } from '../snapshot/plain-effects.js';
import type { PlainPolicy, PlainRule } from '../snapshot/plain.js';

/** Hints that nobody gets. */
export function hintWarnings(rule: PlainRule, { mode }: PlainPolicy, at: number): readonly Finding[] {
  const hint = hintOf(rule);
  if (hint === undefined) return [];
  const path = ['rules', at, 'effect', ...(rule.kind === 'deny' ? [] : [rule.kind])];
  const name = quoted(rule.rule_id);
  if (hint.isGiven) {
    if (mode !== 'guardrails') return [];
    const message = `the hint of rule ${name} is given in mode \`control\` only; here it is a plain block`;
    return [{ code: 'hint_needs_control', message, path, help: 'set `mode: control`, or take the hint out' }];
  }
  const { hint_text, suggested_args, drop_args } = hint.fields;
  if (hint_text === undefined && suggested_args === undefined && drop_args === undefined) return [];
  const message = `the hint of rule ${name} is never given`;
  const help =
    rule.kind === 'deny' ? 'add `hint_text`' : 'let the rule answer `REJECT_WITH_HINT`, or take the hint out';
  return [{ code: 'hint_unused', message, path, help }];
}

interface RuleHint {
  readonly fields: PlainHint;
  readonly isGiven: boolean;
}

function hintOf(rule: PlainRule): RuleHint | undefined {
  switch (rule.kind) {
    case 'deny':
      return { fields: rule.effect, isGiven: rule.effect.hint_text !== undefined };
    case 'budget':
      return budgetHint(rule.effect.budget);
    case 'rate_limit':
      return limitHint(rule.effect.rate_limit, rule.effect.rate_limit.on_limit);
    case 'breaker':
      return limitHint(rule.effect.breaker, rule.effect.breaker.on_trip);
    case 'dedupe':
      return limitHint(rule.effect.dedupe, rule.effect.dedupe.on_duplicate);
    default:
      return undefined;
  }
}

/** A question has the text of the hint, for the agent to do without. */
function budgetHint(budget: PlainBudget): RuleHint {
  const isAsked = budget.on_exceed === 'ASK' && budget.hint_text !== undefined;
  return limitHint(budget, isAsked ? 'REJECT_WITH_HINT' : budget.on_exceed);
}

function limitHint(fields: PlainHint, action: string): RuleHint {
  return { fields, isGiven: action === 'REJECT_WITH_HINT' };
}
