import type { PlainPolicy, PlainRule } from '../snapshot/plain.js';
import { endsRuns, overridesOf } from './parts.js';

/** A rule with its place in the policy. */
export interface Placed {
  readonly place: number;
  readonly rule: PlainRule;
}

/** The enabled rules of a policy by what others have to be compared with, so that none is asked in vain. */
export interface SortedRules {
  readonly places: ReadonlyMap<string, number>;
  readonly allowing: readonly Placed[];
  readonly denying: readonly Placed[];
  readonly ending: readonly Placed[];
  readonly overriding: readonly Placed[];
}

/** Sorts the rules of each policy once. */
export class RuleSorter {
  readonly #sorted = new Map<PlainPolicy, SortedRules>();

  of(policy: PlainPolicy): SortedRules {
    const known = this.#sorted.get(policy);
    if (known !== undefined) return known;
    const enabled = policy.rules.flatMap((rule, place) => (rule.enabled ? [{ place, rule }] : []));
    const sorted: SortedRules = {
      places: new Map(policy.rules.map(({ rule_id }, place) => [rule_id, place])),
      allowing: enabled.filter(({ rule }) => rule.kind === 'allow'),
      denying: enabled.filter(({ rule }) => rule.kind === 'deny' || rule.kind === 'ask'),
      ending: enabled.filter(({ rule }) => endsRuns(rule)),
      overriding: enabled.filter(({ rule }) => overridesOf(rule).length > 0),
    };
    this.#sorted.set(policy, sorted);
    return sorted;
  }
}
