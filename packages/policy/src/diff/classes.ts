import { quoted } from '../problem/problem.js';
import type { PlainPolicy, PlainRule } from '../snapshot/plain.js';
import { both, type Effect, NO_EFFECT, undone } from './change.js';
import type { Meetings } from './reach.js';

/** The class whose calls a budget can count. */
const WRITES = 'write_like';

/**
 * The effect of giving calls these classes, compared with the same policy in which they do not: more denies
 * and limits match, and more allows. Follows tag rules that match on classes.
 */
export function classEffect(classes: readonly string[], policy: PlainPolicy, meetings: Meetings): Effect {
  const known = new Set(classes);
  let effect = NO_EFFECT;
  // The list grows while it is gone through.
  const pending = [...known];
  for (const name of pending) {
    if (!meetings.spend(policy.rules.length)) return unproven(effect);
    for (const rule of policy.rules) {
      if (!rule.enabled || !looksAt(rule, name)) continue;
      effect = both(effect, effectOn(rule, name));
      if (rule.kind !== 'tag') continue;
      const more = rule.effect.tag.add_risk_class.filter((added) => !known.has(added));
      for (const added of more) known.add(added);
      pending.push(...more);
    }
  }
  if (!policy.defaults.fail_open_read_tools) return effect;
  const away = 'classes say which tools pass while the gateway is away';
  return both(effect, { loosens: true, tightens: true, reach: true, why: away });
}

/**
 * The effect of calls getting these classes no more. A rule that looked at them and is gone as well is a
 * change of its own, so only the rules of the new policy matter.
 */
export function classesGone(classes: readonly string[], after: PlainPolicy, meetings: Meetings): Effect {
  const effect = classEffect(classes, after, meetings);
  return { ...undone(effect), why: effect.why };
}

/** Whether a rule acts otherwise on calls of that class. */
export function looksAt(rule: PlainRule, name: string): boolean {
  if (rule.match.risk_class?.includes(name) === true) return true;
  return rule.kind === 'budget' && name === WRITES && rule.effect.budget.limit_write_actions !== undefined;
}

function effectOn(rule: PlainRule, name: string): Effect {
  const why = `${rule.kind} ${quoted(rule.rule_id)} matches the class ${quoted(name)}`;
  if (rule.kind === 'tag') return NO_EFFECT;
  if (rule.kind === 'allow') return { loosens: true, tightens: false, reach: true, why };
  return { loosens: false, tightens: true, reach: true, why };
}

function unproven(effect: Effect): Effect {
  return both(effect, { loosens: true, tightens: true, reach: true, why: 'too many rules to tell more' });
}
