import { NameIndex } from '../lookup/name-index.js';
import { type Pattern, PatternPool } from '../pattern/pool.js';
import type { PlainAllowRule, PlainDenyRule, PlainPolicy, PlainRule } from '../snapshot/plain.js';
import { covers, GlobTests } from './covers.js';

/**
 * Comparisons of two rules in one policy. Past them shadows are not looked for: a warning less, never a wrong
 * one.
 */
const MAX_COMPARISONS = 2_000_000;

type Access = PlainAllowRule | PlainDenyRule;

/**
 * Limits, tags and allows that override are asked wherever they stand; only of these the first that matches
 * decides.
 */
export function decidesAccess(rule: PlainRule): rule is Access {
  return rule.kind === 'deny' || (rule.kind === 'allow' && rule.effect.overrides === undefined);
}

/** Finds, for a rule, the first rule above that decides all of its calls. */
export class Shadows {
  readonly #globs = new GlobTests();
  /**
   * Rules that can cover others, by what their tool's name has to match, and those that leave the name open.
   */
  readonly #open: number[] = [];
  readonly #byGlob = new Map<string, number[]>();
  readonly #byRegex = new Map<string, number[]>();
  readonly #byPattern = new Map<Pattern, number[]>();
  readonly #index: NameIndex;
  readonly #rules: readonly PlainRule[];
  #comparisons = 0;

  constructor({ rules }: PlainPolicy) {
    this.#rules = rules;
    const lifted = new Set(
      rules.flatMap((rule) => (rule.kind === 'allow' ? (rule.effect.overrides ?? []) : [])),
    );
    const pool = new PatternPool();
    for (const [at, rule] of rules.entries()) {
      const { args, time, risk_class, tool_name: tool } = rule.match;
      const isNarrow = args !== undefined || time !== undefined || risk_class !== undefined;
      if (!rule.enabled || !decidesAccess(rule) || lifted.has(rule.rule_id) || isNarrow) continue;
      if (tool === undefined || tool.glob?.includes('*') === true) {
        this.#open.push(at);
        continue;
      }
      for (const regex of tool.regex ?? []) listed(this.#byRegex, regex, at);
      for (const glob of tool.glob ?? []) {
        listed(this.#byGlob, glob, at);
        for (const pattern of pool.names({ glob: [glob] }).patterns) listed(this.#byPattern, pattern, at);
      }
    }
    this.#index = new NameIndex([...this.#byPattern.keys()]);
  }

  /** The first rule above the one at `at` that surely decides all calls which that one matches. */
  above(rule: PlainRule, at: number): Access | undefined {
    const places = [...new Set([...this.#open, ...this.#named(rule)])].filter((place) => place < at);
    for (const place of places.toSorted((a, b) => a - b)) {
      this.#comparisons += 1;
      if (this.#comparisons > MAX_COMPARISONS) return undefined;
      const other = this.#rules[place];
      if (other !== undefined && decidesAccess(other) && covers(other.match, rule.match, this.#globs))
        return other;
    }
    return undefined;
  }

  /**
   * The rules that can cover the first pattern of a rule's tool name: whatever covers the rule covers that.
   */
  #named({ match: { tool_name: tool } }: PlainRule): readonly number[] {
    const glob = tool?.glob?.[0];
    if (glob === undefined) return this.#byRegex.get(tool?.regex?.[0] ?? '') ?? [];
    const name = glob.endsWith('*') ? glob.slice(0, -1) : glob;
    const matching = this.#index.matching(name).flatMap((pattern) => this.#byPattern.get(pattern) ?? []);
    return [...(this.#byGlob.get(glob) ?? []), ...matching];
  }
}

function listed<Key>(map: Map<Key, number[]>, key: Key, at: number): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [at]);
  else known.push(at);
}
