import type { PlainPolicy } from '../snapshot/plain.js';
import type { PolicySnapshot } from '../snapshot/snapshot.js';

/**
 * Whether a policy holds calls back by risk classes that something outside of it gives: `no_rule` of it does,
 * or it has one and only `observes`.
 */
export type Withholding = 'no_rule' | 'observes' | 'withholds';

/** Tells it for a call that has one of these classes. Tags pass a class on to the rules below them. */
export function withholding({ mode, plain }: PolicySnapshot, classes: readonly string[]): Withholding {
  if (!isLookedFor(plain, new Set(classes))) return 'no_rule';
  return mode === 'observe' ? 'observes' : 'withholds';
}

function isLookedFor({ rules }: PlainPolicy, classes: Set<string>): boolean {
  for (const rule of rules) {
    const looks = rule.enabled && rule.match.risk_class?.some((name) => classes.has(name)) === true;
    if (!looks || rule.kind === 'allow') continue;
    if (rule.kind !== 'tag') return true;
    for (const name of rule.effect.tag.add_risk_class) classes.add(name);
  }
  return false;
}
