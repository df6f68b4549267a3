import { type Finding, quoted } from '../problem/problem.js';
import type { Tree } from '../source/tree.js';
import { children, listAt, mapAt, type Part, partAt, rulesOf } from './parts.js';

const LIFTED = ['deny', 'ask', 'budget', 'rate_limit', 'breaker', 'dedupe'];

/** Overrides that name no rule, one that refuses nothing, or one that stands above. Works on any tree. */
export function findOverrideMistakes(tree: Tree): readonly Finding[] {
  const rules = rulesOf(tree);
  const places = new Map<unknown, number>();
  for (const [at, rule] of rules.entries()) {
    const id = partAt(rule, 'rule_id')?.value;
    if (!places.has(id)) places.set(id, at);
  }
  return rules.flatMap((rule, at) =>
    children(listAt(mapAt(rule, 'effect'), 'overrides')).flatMap((name) => mistake(name, at, rules, places)),
  );
}

function mistake(
  { value, path }: Part,
  at: number,
  rules: readonly Part[],
  places: ReadonlyMap<unknown, number>,
): readonly Finding[] {
  if (typeof value !== 'string') return [];
  const place = places.get(value);
  if (place === undefined) {
    const message = `there is no rule ${quoted(value)} to override`;
    return [
      { code: 'override_unknown', message, path, help: 'name the `rule_id` of a deny or a limit below' },
    ];
  }
  const kind = partAt(rules[place], 'kind')?.value;
  if (place !== at && typeof kind === 'string' && !LIFTED.includes(kind)) {
    const message = `rule ${quoted(value)} is of the kind ${quoted(kind)}, which refuses nothing`;
    return [
      { code: 'override_unknown', message, path, help: 'name the `rule_id` of a deny or a limit below' },
    ];
  }
  if (place > at) return [];
  const message = `rule ${quoted(value)} does not stand below this one`;
  return [{ code: 'override_below', message, path, help: 'move the allow above the rule that it overrides' }];
}
