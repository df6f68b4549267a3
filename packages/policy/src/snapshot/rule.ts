import { type TraceOutcome, type TraceStep } from '../decide/trace.js';
import { type Verdict, verdict } from '../decide/verdict.js';
import { compileMatch, type Condition } from '../match/condition.js';
import type { PlainAccessRule, PlainRule } from './plain.js';

/** A condition with the trace steps that it can end in, made once so that deciding allocates nothing for them. */
export interface CompiledCondition extends Condition {
  readonly notMatched: TraceStep;
  readonly notInspected: TraceStep;
}

interface CompiledCommon {
  readonly rule_id: string;
  readonly enabled: boolean;
  readonly conditions: readonly CompiledCondition[];
  readonly onError: Verdict;
  readonly disabled: TraceStep;
}

/** A rule that decides. */
export interface CompiledAccess extends CompiledCommon {
  readonly kind: 'allow' | 'deny';
  readonly verdict: Verdict;
  readonly decided: TraceStep;
  /** The step of a deny that matched because the arguments were not inspected. */
  readonly decidedUnseen: TraceStep;
}

/** A rule that gives risk classes. */
export interface CompiledTag extends CompiledCommon {
  readonly kind: 'tag';
  readonly classes: readonly string[];
  readonly tagged: TraceStep;
  readonly taggedUnseen: TraceStep;
}

export type CompiledRule = CompiledAccess | CompiledTag;

/** Compiles one rule; `onError` is what follows when evaluating it fails. */
export function compileRule(rule: PlainRule, onError: Verdict): CompiledRule {
  const step = (outcome: TraceOutcome, more: { field?: string; note?: string } = {}): TraceStep =>
    Object.freeze({ rule_id: rule.rule_id, kind: rule.kind, outcome, ...more });
  const conditions = compileMatch(rule.match).map((condition) =>
    Object.freeze({
      ...condition,
      notMatched: step('not_matched', { field: condition.field }),
      notInspected: step('not_inspected', { field: condition.field }),
    }),
  );
  const { rule_id, enabled } = rule;
  const common = {
    rule_id,
    enabled,
    conditions: Object.freeze(conditions),
    onError,
    disabled: step('disabled'),
  };
  if (rule.kind === 'tag') {
    const classes = rule.effect.tag.add_risk_class;
    const note = classes.join(', ');
    const tagged = step('tagged', { note });
    return Object.freeze({
      ...common,
      kind: 'tag',
      classes,
      tagged,
      taggedUnseen: step('tagged_unseen', { note }),
    });
  }
  const outcome = rule.effect.action === 'ALLOW' ? 'allowed' : 'blocked';
  return Object.freeze({
    ...common,
    kind: rule.kind,
    verdict: accessVerdict(rule),
    decided: step(outcome, { note: rule.effect.reason_code }),
    decidedUnseen: step(outcome, { note: `${rule.effect.reason_code} (the arguments were not inspected)` }),
  });
}

function accessVerdict({ rule_id, severity, effect }: PlainAccessRule): Verdict {
  const { action, reason_code, message } = effect;
  const plain = `rule \`${rule_id}\` ${action === 'ALLOW' ? 'allows' : 'blocks'} this call`;
  return verdict({ action, rule_id, severity, reason_code, summary: message === '' ? plain : message });
}
