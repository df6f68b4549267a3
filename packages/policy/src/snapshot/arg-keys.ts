import { compareCodePoints } from '@subluminal/core-types';
import type { PlainPolicy, PlainRule } from './plain.js';

/** Every argument that an enabled rule looks at to decide, sorted. */
export function argKeysOf({ rules }: PlainPolicy): readonly string[] {
  const keys = new Set(rules.filter(({ enabled }) => enabled).flatMap(keysOf));
  return [...keys].toSorted(compareCodePoints);
}

function keysOf(rule: PlainRule): readonly string[] {
  const {
    has_keys = [],
    key_equals = {},
    key_in = {},
    numeric_range = {},
    text = [],
  } = rule.match.args ?? {};
  const cost = rule.kind === 'budget' ? rule.effect.budget.cost_units_from : undefined;
  return [
    ...has_keys,
    ...text.flatMap(({ at }) => (at === '**' ? [] : [at, at.split('.', 1)[0] ?? at])),
    ...[key_equals, key_in, numeric_range].flatMap((record) => Object.keys(record)),
    ...(cost === undefined ? [] : [cost]),
  ];
}
