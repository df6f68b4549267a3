import { canonicalize } from '@subluminal/core-types';
import { compilePolicy, type CompileOptions } from '../compile.js';
import { quoted, type PolicyProblem } from '../problem/problem.js';
import type { PolicySnapshot } from '../snapshot/snapshot.js';
import { commentsOf, placeOfRule, type RulePlace } from './place.js';
import { allowRule, type AllowDraft, type AllowRuleJson } from './rule.js';
import { blockLines, flowLines } from './write-rule.js';

/** A text with one rule more, or why there is none. */
export type InsertResult =
  | {
      readonly ok: true;
      /** The text as it was, with `inserted` at `at`. */
      readonly text: string;
      readonly at: number;
      readonly inserted: string;
      readonly rule: AllowRuleJson;
    }
  | {
      readonly ok: false;
      readonly why: 'invalid' | 'no_rule' | 'exists' | 'no_place';
      readonly message: string;
      readonly help?: string;
      readonly problems?: readonly PolicyProblem[];
    };

/**
 * Writes an allow rule into the text of a bundle, right above the rule that it overrides and above the
 * comments that belong to it. Nothing but that is changed: comments, order, quotes, indentation and line ends
 * of everything else stay byte for byte. The result is given only where it compiles and differs from what was
 * there by exactly this rule.
 */
export function insertAllow(source: string, draft: AllowDraft, options: CompileOptions = {}): InsertResult {
  const before = compilePolicy(source, options);
  if (!before.ok) {
    return { ok: false, why: 'invalid', message: 'the policy has a mistake', problems: before.problems };
  }
  const { rules } = before.snapshot.plain;
  const index = rules.findIndex(({ rule_id }) => rule_id === draft.overrides);
  if (index === -1) {
    const message = `there is no rule ${quoted(draft.overrides)} in this policy`;
    return { ok: false, why: 'no_rule', message, help: 'it may have been renamed or removed since the call' };
  }
  const rule = allowRule(draft, new Set(rules.map(({ rule_id }) => rule_id)));
  const place = placeOfRule(source, index);
  if (place === undefined) return noPlace(rule);
  for (const [at, inserted] of candidates(source, place, rule)) {
    const text = source.slice(0, at) + inserted + source.slice(at);
    const verdict = judge(text, before.snapshot, index, rule, options);
    if (verdict === 'fits') return { ok: true, text, at, inserted, rule };
    if (verdict !== undefined) return verdict;
  }
  return noPlace(rule);
}

/** Where the rule can stand, the nicer place first. */
function* candidates(source: string, place: RulePlace, rule: AllowRuleJson): Generator<[number, string]> {
  const lineStart = source.lastIndexOf('\n', place.at - 1) + 1;
  const indent = source.slice(lineStart, place.at);
  const eol = source.slice(0, lineStart).endsWith('\r\n') ? '\r\n' : '\n';
  if (!/^[ \t]*$/.test(indent)) {
    if (place.style === 'flow') {
      const gap = source[place.at - 1] === ' ' ? ' ' : '';
      return yield [place.at, `${flowLines(rule, undefined).join('')},${gap}`];
    }
    const column = ' '.repeat(place.at - lineStart);
    return yield [place.at, `${blockLines(rule, place.step).join(eol + column)}${eol}${column}`];
  }
  const lines = place.style === 'block' ? blockLines(rule, place.step) : separate(rule, place, indent);
  const inserted = lines.map((line) => `${indent}${line}${eol}`).join('');
  const above = aboveComments(source, lineStart, indent.length);
  if (above !== lineStart) yield [above, inserted];
  yield [lineStart, inserted];
}

/** On one line where the rule below is, else indented as that one is. */
function separate(rule: AllowRuleJson, { item }: RulePlace, indent: string): readonly string[] {
  const second = /\n([ \t]*)\S/.exec(item)?.[1];
  const step = second?.startsWith(indent) === true ? second.slice(indent.length) || '  ' : '  ';
  const lines = flowLines(rule, second === undefined ? undefined : step);
  return lines.map((line, at) => (at === lines.length - 1 ? `${line},` : line));
}

/**
 * The start of the first of the comment lines that stand right above a line and not further in than its item.
 */
function aboveComments(source: string, lineStart: number, column: number): number {
  const comments = commentsOf(source);
  let at = lineStart;
  while (at > 0) {
    const previous = source.lastIndexOf('\n', at - 2) + 1;
    const [, spaces = ''] = /^([ \t]*)/.exec(source.slice(previous, at)) ?? [];
    if (spaces.length > column || !comments.has(previous + spaces.length)) break;
    at = previous;
  }
  return at;
}

/** Whether the new text is the old policy and this one rule above `index`. */
function judge(
  text: string,
  before: PolicySnapshot,
  index: number,
  rule: AllowRuleJson,
  options: CompileOptions,
): 'fits' | InsertResult | undefined {
  const after = compilePolicy(text, options);
  if (!after.ok) {
    // A bundle that has become too large is at fault as a whole; other mistakes outside of the rule mean
    // another place.
    const own = after.problems.filter(
      ({ path, code }) => path.startsWith(`rules[${index}]`) || code === 'too_large',
    );
    if (own.length === 0) return undefined;
    const message = `the rule cannot be written: ${own[0]?.message ?? ''}`;
    return { ok: false, why: 'invalid', message, problems: own };
  }
  const { rules, ...frame } = after.snapshot.plain;
  const { rules: oldRules, ...oldFrame } = before.plain;
  const added = rules[index];
  const others = rules.filter((_, at) => at !== index);
  if (
    added?.rule_id !== rule.rule_id ||
    canonicalize([frame, others]) !== canonicalize([oldFrame, oldRules])
  ) {
    return undefined;
  }
  const same = oldRules.find(
    (other) =>
      other.enabled &&
      other.kind === 'allow' &&
      canonicalize([other.match, other.effect.overrides ?? []]) ===
        canonicalize([added.match, rule.effect.overrides]),
  );
  if (same === undefined) return 'fits';
  const message = `rule ${quoted(same.rule_id)} allows that already`;
  return { ok: false, why: 'exists', message, help: 'the policy needs no change' };
}

function noPlace(rule: AllowRuleJson): InsertResult {
  const message = `rule ${quoted(rule.effect.overrides[0])} is written in a way that nothing can be put above it`;
  return {
    ok: false,
    why: 'no_place',
    message,
    help: `write it by hand, above that rule: ${flowLines(rule, undefined).join('')}`,
  };
}
