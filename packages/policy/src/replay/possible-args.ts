import { canonicalize, ExactNumber, type JsonValue } from '@subluminal/core-types';
import { argConditions } from '../match/args.js';
import type { Condition } from '../match/condition.js';
import type { PlainArgs, PlainRule } from '../snapshot/plain.js';

type Scalar = string | number | boolean;

/** A value that an argument may have had; undefined: it was not there. */
export type Possible = JsonValue | undefined;

/** The questions of rules to one argument. */
interface Asked {
  readonly values: Set<Scalar>;
  readonly numbers: Set<number>;
  readonly conditions: Condition[];
  /** Costs are taken from it, so that no two values are alike. */
  isCost: boolean;
}

/** For each argument that rules look at, one value of each kind that they can tell apart. */
export function possibleArgs(rules: readonly PlainRule[]): ReadonlyMap<string, readonly Possible[]> {
  const all = new Map<string, Asked>();
  for (const rule of rules) collect(rule, all);
  return new Map([...all].map(([key, asked]) => [key, toldApart(key, asked)]));
}

function collect(rule: PlainRule, into: Map<string, Asked>): void {
  const asked = (key: string): Asked => {
    const found = into.get(key) ?? { values: new Set(), numbers: new Set(), conditions: [], isCost: false };
    into.set(key, found);
    return found;
  };
  const ask = (key: string, args: PlainArgs): Asked => {
    const found = asked(key);
    found.conditions.push(...argConditions(args));
    return found;
  };
  const { has_keys = [], key_equals = {}, key_in = {}, numeric_range = {} } = rule.match.args ?? {};
  for (const key of has_keys) ask(key, { has_keys: [key] });
  for (const [key, value] of Object.entries(key_equals)) {
    ask(key, { key_equals: only(key, value) }).values.add(value);
  }
  for (const [key, list] of Object.entries(key_in)) {
    const { values } = ask(key, { key_in: only(key, list) });
    for (const value of list) values.add(value);
  }
  for (const [key, range] of Object.entries(numeric_range)) {
    const { numbers } = ask(key, { numeric_range: only(key, range) });
    for (const bound of [range.min, range.max, 0]) if (bound !== undefined) numbers.add(bound);
  }
  if (rule.kind !== 'budget' || rule.effect.budget.cost_units_from === undefined) return;
  const cost = asked(rule.effect.budget.cost_units_from);
  cost.isCost = true;
  cost.numbers.add(0).add((rule.effect.budget.limit_cost_units ?? 0) + 1);
}

function only<T>(key: string, value: T): Readonly<Record<string, T>> {
  // Without a prototype, `__proto__` is a key like any other.
  const record: Record<string, T> = Object.create(null);
  record[key] = value;
  return record;
}

/** Of values for which every condition comes out the same, the first. */
function toldApart(key: string, asked: Asked): readonly Possible[] {
  const kinds = new Map<string, Possible>();
  for (const value of candidates(asked)) {
    const kind = kindOf(key, value, asked);
    if (!kinds.has(kind)) kinds.set(kind, value);
  }
  return [...kinds.values()];
}

function kindOf(key: string, value: Possible, { conditions, isCost }: Asked): string {
  const identity = { agent_id: '', client: 'unknown', env: 'unknown' } as const;
  const args = value === undefined ? {} : only(key, value);
  const call = { server_name: '', tool_name: '', args, args_hash: '', identity };
  const facts = { call, tags: [], possibleTags: [], now: 0 };
  const outcomes = conditions.map(({ test }) => test(facts));
  return canonicalize([outcomes, isCost ? [value ?? null, value === undefined] : null]);
}

/**
 * A value that no rule names; each that one does; both sides of each number. Last that it was not there,
 * which so stands for nothing that may be a value as well.
 */
function candidates({ values, numbers }: Asked): readonly Possible[] {
  const named = [...values].filter((value) => typeof value === 'number');
  const points = [...new Set([...numbers, ...named])].toSorted((a, b) => a - b);
  const between = points.slice(1).map((point, at) => ((points[at] ?? point) + point) / 2);
  const [first, last] = [points[0], points.at(-1)];
  const outside = first === undefined || last === undefined ? [] : [first - 1, last + 1];
  let other = 'another value';
  while (values.has(other)) other += '.';
  return [other, ...values, ...points, ...between, ...outside, ...points.flatMap(nearly), undefined];
}

/**
 * Numbers that are another one by their digits and this one as a double, so that conditions cannot tell them.
 */
function nearly(point: number): readonly ExactNumber[] {
  if (!Number.isSafeInteger(point) || point === 0) return [];
  const nearer = point > 0 ? point - 1 : point + 1;
  const sign = point < 0 && nearer === 0 ? '-' : '';
  return [`${point}.00000000000000000001`, `${sign}${nearer}.99999999999999999999`].map(
    (text) => new ExactNumber(text),
  );
}
