import type { JsonValue } from '@subluminal/core-types';
import type { PlainRule } from '../snapshot/plain.js';
import type { PolicySnapshot } from '../snapshot/snapshot.js';

type Scalar = string | number | boolean;

/** A value that an argument may have had; undefined: it was not there. */
export type Possible = JsonValue | undefined;

/** One rule that may concern a tool. */
export interface RuleOfTool {
  readonly rule: PlainRule;
  /** Its place in the policy. */
  readonly index: number;
}

/** What a policy asks of the calls of one tool. */
export interface ToolQuestions {
  /** The enabled rules whose names match, in their order. */
  readonly rules: readonly RuleOfTool[];
  /** For each argument that they look at, one value of each kind that they can tell apart. */
  readonly args: ReadonlyMap<string, readonly Possible[]>;
}

/** Tools whose questions are kept; beyond, they are found anew. */
const MAX_TOOLS = 1024;

/** What a policy asks of arguments, tool by tool: of each argument only what some rule can tell apart. */
export class Questions {
  readonly #snapshot: PolicySnapshot;
  readonly #tools = new Map<string, ToolQuestions>();

  constructor(snapshot: PolicySnapshot) {
    this.#snapshot = snapshot;
  }

  of(server: string, tool: string): ToolQuestions {
    const name = JSON.stringify([server, tool]);
    const known = this.#tools.get(name);
    if (known !== undefined) return known;
    const rules = this.#rulesOf(server, tool);
    const args = new Map<string, Asked>();
    for (const { rule } of rules) collect(rule, args);
    const found = { rules, args: new Map([...args].map(([key, asked]) => [key, possibleValues(asked)])) };
    if (this.#tools.size < MAX_TOOLS) this.#tools.set(name, found);
    return found;
  }

  #rulesOf(server: string, tool: string): readonly RuleOfTool[] {
    const { plain, rules } = this.#snapshot;
    return plain.rules.flatMap((rule, index) => {
      const compiled = rules[index];
      if (compiled?.enabled !== true) return [];
      const matches = compiled.server?.(server) !== false && compiled.tool?.(tool) !== false;
      return matches ? [{ rule, index }] : [];
    });
  }
}

/** What rules compare one argument with. */
interface Asked {
  readonly values: Set<Scalar>;
  readonly numbers: Set<number>;
}

function collect({ match, ...rule }: PlainRule, into: Map<string, Asked>): void {
  const asked = (key: string): Asked => {
    const found = into.get(key) ?? { values: new Set(), numbers: new Set() };
    into.set(key, found);
    return found;
  };
  const { has_keys = [], key_equals = {}, key_in = {}, numeric_range = {} } = match.args ?? {};
  for (const key of has_keys) asked(key);
  for (const [key, value] of Object.entries(key_equals)) asked(key).values.add(value);
  for (const [key, values] of Object.entries(key_in))
    for (const value of values) asked(key).values.add(value);
  for (const [key, { min, max }] of Object.entries(numeric_range)) {
    const { numbers } = asked(key);
    if (min !== undefined) numbers.add(min);
    if (max !== undefined) numbers.add(max);
    numbers.add(0);
  }
  if (rule.kind !== 'budget') return;
  const { cost_units_from: from, limit_cost_units: limit } = rule.effect.budget;
  if (from === undefined) return;
  const { numbers } = asked(from);
  numbers.add(0);
  numbers.add((limit ?? 0) + 1);
}

/** The argument was not there; a value that no rule names; each that one does; each side of each bound. */
function possibleValues({ values, numbers }: Asked): readonly Possible[] {
  const points = [...numbers, ...values]
    .filter((value) => typeof value === 'number')
    .toSorted((a, b) => a - b);
  const between = points.slice(1).map((point, at) => ((points[at] ?? point) + point) / 2);
  const first = points[0];
  const last = points.at(-1);
  const outside = first === undefined || last === undefined ? [] : [first - 1, last + 1];
  let other = 'another value';
  while (values.has(other)) other += '.';
  return [undefined, other, ...new Set<Possible>([...values, ...points, ...between, ...outside])];
}
