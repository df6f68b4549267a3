import { quoted } from '../problem/problem.js';
import type { PlainPolicy, PlainRule } from '../snapshot/plain.js';
import { both, type Effect, NO_EFFECT, undone } from './change.js';
import { classEffect, classesGone } from './classes.js';
import { endsRuns, overridesOf } from './parts.js';
import { isCovered, type Meetings } from './reach.js';

/** The effect of an enabled rule in a policy, compared with the same policy without it. */
export function whenThere(rule: PlainRule, policy: PlainPolicy, meetings: Meetings): Effect {
  const sorted = meetings.rules.of(policy);
  const at = sorted.places.get(rule.rule_id) ?? -1;
  const below = (which: 'denying' | 'ending' | 'overriding'): PlainRule | undefined =>
    sorted[which].find(({ place, rule: other }) => place > at && meetings.meet(rule.match, other.match))
      ?.rule;
  if (rule.kind === 'tag') return classEffect(rule.effect.tag.add_risk_class, policy, meetings);
  if (rule.kind === 'allow') return whenAllowed(rule, policy, below);
  const why = 'calls that it matches may be refused';
  const stricter: Effect = { loosens: false, tightens: true, reach: true, why };
  const spared = endsRuns(rule) ? undefined : below('ending');
  if (spared === undefined) return stricter;
  return both(stricter, {
    ...NO_EFFECT,
    loosens: true,
    why: `it refuses first what ${quoted(spared.rule_id)} would have ended the run for`,
  });
}

/** The effect of a rule of `before` that decides no longer. */
export function whenGone(
  rule: PlainRule,
  before: PlainPolicy,
  after: PlainPolicy,
  meetings: Meetings,
): Effect {
  if (rule.kind === 'tag') return classesGone(rule.effect.tag.add_risk_class, after, meetings);
  const effect = undone(whenThere(rule, before, meetings));
  if (rule.kind !== 'deny') {
    return effect.loosens ? { ...effect, why: 'what it refused may pass' } : effect;
  }
  const other = stillDenying(rule, after, meetings);
  if (other === undefined) return { ...effect, why: 'what it refused may pass' };
  return { ...effect, loosens: false, why: `deny ${quoted(other.rule_id)} refuses the same calls` };
}

/** A deny that matches every call of the rule, and that no allow can come before. */
function stillDenying(rule: PlainRule, policy: PlainPolicy, meetings: Meetings): PlainRule | undefined {
  if (!meetings.spend(1)) return undefined;
  const { allowing, denying } = meetings.rules.of(policy);
  const allow = allowing.find(({ rule: other }) => meetings.meet(other.match, rule.match));
  const before = allow?.place ?? policy.rules.length;
  return denying.find(
    ({ place, rule: other }) =>
      place < before &&
      other.rule_id !== rule.rule_id &&
      meetings.spend(1) &&
      isCovered(rule.match, other.match, meetings.globs),
  )?.rule;
}

/** An allow matters where something below it would refuse, or where it lifts a rule. */
function whenAllowed(
  rule: PlainRule,
  policy: PlainPolicy,
  below: (which: 'denying' | 'overriding') => PlainRule | undefined,
): Effect {
  const denied = below('denying');
  const hidden = below('overriding');
  const reasons = [
    ...overridesOf(rule).map((id) => `it lifts ${quoted(id)}`),
    ...(denied === undefined ? [] : [`it comes before deny ${quoted(denied.rule_id)}`]),
    ...(policy.defaults.no_match === 'BLOCK' ? ['what no rule matches is blocked otherwise'] : []),
  ];
  const effect: Effect = {
    ...NO_EFFECT,
    loosens: reasons.length > 0,
    reach: reasons.length > 0,
    why: reasons.join('; '),
  };
  if (hidden === undefined) return effect;
  const why = `it comes before allow ${quoted(hidden.rule_id)}, which lifts rules`;
  return both(effect, { loosens: false, tightens: true, reach: true, why });
}
