import type { PlainMatch, PlainNames } from '../snapshot/plain.js';
import { compileGlob } from '../pattern/glob.js';
import { compileRegex, type NameTest, type PatternResult } from '../pattern/regex.js';
import { SublError } from '@subluminal/core-types';
import { argConditions } from './args.js';
import type { PolicyCall } from './call.js';

/** `unknown`: it cannot be told, because the arguments were not inspected or a number has two readings. */
export type Match = 'yes' | 'no' | 'unknown';

/** What the conditions of one decision look at. */
export interface Facts {
  readonly call: PolicyCall;
  /** Risk classes that tag rules have given the call so far. */
  readonly tags: readonly string[];
  /** Risk classes that it may have: given by tag rules that look at arguments nobody inspected. */
  readonly possibleTags: readonly string[];
}

/** One part of a rule's match; all parts of a rule have to match. */
export interface Condition {
  /** The field of the match, for explanations: `tool_name`, `args.key_equals.amount`. */
  readonly field: string;
  readonly test: (facts: Facts) => Match;
}

/** Compiles a match (Interface Pack §2.4). No condition at all matches every call. `policy_invalid` on a bad pattern. */
export function compileMatch(match: PlainMatch): readonly Condition[] {
  const conditions: Condition[] = [];
  if (match.server_name !== undefined) {
    const test = anyName(match.server_name);
    conditions.push({ field: 'server_name', test: ({ call }) => (test(call.server_name) ? 'yes' : 'no') });
  }
  if (match.tool_name !== undefined) {
    const test = anyName(match.tool_name);
    conditions.push({ field: 'tool_name', test: ({ call }) => (test(call.tool_name) ? 'yes' : 'no') });
  }
  const classes = match.risk_class;
  if (classes !== undefined)
    conditions.push({ field: 'risk_class', test: (facts) => matchClasses(classes, facts) });
  if (match.args !== undefined) conditions.push(...argConditions(match.args));
  return conditions;
}

/** A name matches when any of its globs or regexes does. */
function anyName(names: PlainNames): NameTest {
  const tests = [...(names.glob ?? []).map(compileGlob), ...(names.regex ?? []).map(compileRegex)].map(
    testOf,
  );
  const only = tests[0];
  if (tests.length === 1 && only !== undefined) return only;
  return (name) => {
    for (const test of tests) if (test(name)) return true;
    return false;
  };
}

function testOf(pattern: PatternResult): NameTest {
  if (!pattern.ok) throw new SublError('policy_invalid', pattern.why);
  return pattern.test;
}

function matchClasses(classes: readonly string[], { tags, possibleTags }: Facts): Match {
  if (classes.some((name) => tags.includes(name))) return 'yes';
  return classes.some((name) => possibleTags.includes(name)) ? 'unknown' : 'no';
}
