import { canonicalize } from '@subluminal/core-types';
import { isMap, isScalar, isSeq, type Node, parseDocument } from 'yaml';
import { compilePolicy, type CompileOptions } from '../compile.js';
import { quoted, type PolicyProblem } from '../problem/problem.js';
import type { PlainBudgetRule } from '../snapshot/plain.js';

/** The limits of a budget, in the order in which they are told. */
const LIMITS = ['limit_calls', 'limit_write_actions', 'limit_cost_units'] as const;

/** One limit that is written anew. */
export interface RaisedLimit {
  readonly field: (typeof LIMITS)[number];
  readonly from: number;
  readonly to: number;
}

/** A text with higher limits, or why there is none. */
export type RaiseResult =
  | { readonly ok: true; readonly text: string; readonly limits: readonly RaisedLimit[] }
  | {
      readonly ok: false;
      readonly message: string;
      readonly help?: string;
      readonly problems?: readonly PolicyProblem[];
    };

/**
 * Writes each limit of a budget once more into the text of a bundle. Nothing but these numbers is changed.
 * The result is given only where it compiles and differs from what was there by exactly that.
 */
export function raiseLimits(source: string, ruleId: string, options: CompileOptions = {}): RaiseResult {
  const before = compilePolicy(source, options);
  if (!before.ok) return { ok: false, message: 'the policy has a mistake', problems: before.problems };
  const { rules } = before.snapshot.plain;
  const index = rules.findIndex(({ rule_id }) => rule_id === ruleId);
  const rule = rules[index];
  if (rule?.kind !== 'budget') {
    const message = `there is no budget ${quoted(ruleId)} in this policy`;
    return { ok: false, message, help: 'it may have been renamed or removed since the call' };
  }
  const { budget } = rule.effect;
  const limits = LIMITS.flatMap((field) => {
    const from = budget[field];
    return from === undefined ? [] : [{ field, from, to: Math.min(from * 2, Number.MAX_SAFE_INTEGER) }];
  });
  const text = written(source, index, limits);
  const wanted = rules.map((one) => (one === rule ? withLimits(rule, limits) : one));
  const after = text === undefined ? undefined : compilePolicy(text, options);
  const isThat =
    after?.ok === true &&
    canonicalize(after.snapshot.plain) === canonicalize({ ...before.snapshot.plain, rules: wanted });
  if (text !== undefined && isThat) return { ok: true, text, limits };
  return {
    ok: false,
    message: `budget ${quoted(ruleId)} is written in a way that its numbers cannot be changed in place`,
    help: `write by hand: ${limits.map(({ field, to }) => `${field}: ${to}`).join(', ')}`,
  };
}

function withLimits(rule: PlainBudgetRule, limits: readonly RaisedLimit[]): PlainBudgetRule {
  const raised = Object.fromEntries(limits.map(({ field, to }) => [field, to]));
  return { ...rule, effect: { ...rule.effect, budget: { ...rule.effect.budget, ...raised } } };
}

/** Undefined where a number does not stand in the rule itself, as behind an alias. */
function written(source: string, index: number, limits: readonly RaisedLimit[]): string | undefined {
  const { contents } = parseDocument(source, { prettyErrors: false, uniqueKeys: false });
  const rules = memberOf(contents, 'rules');
  const rule = isSeq<Node>(rules) ? rules.items[index] : undefined;
  const budget = memberOf(memberOf(rule, 'effect'), 'budget');
  const places = limits.map(({ field, to }) => ({ node: memberOf(budget, field), to }));
  let text = source;
  for (const { node, to } of places.toSorted((a, b) => startOf(b.node) - startOf(a.node))) {
    if (!isScalar(node) || node.range === undefined || node.range === null) return undefined;
    const [from, end] = node.range;
    text = `${text.slice(0, from)}${to}${text.slice(end)}`;
  }
  return text;
}

function memberOf(node: unknown, name: string): unknown {
  if (!isMap(node)) return undefined;
  return node.items.find(({ key }) => isScalar(key) && key.value === name)?.value;
}

function startOf(node: unknown): number {
  return isScalar(node) ? (node.range?.[0] ?? 0) : 0;
}
