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
  /** Epoch ms, as the clock says it. */
  readonly now: number;
}

/** One part of a rule's match; all parts of a rule have to match. */
export interface Condition {
  /** The field of the match, for explanations: `tool_name`, `args.key_equals.amount`. */
  readonly field: string;
  readonly test: (facts: Facts) => Match;
}

/** A match in two parts: what a tool's name decides, and what each call does. */
export interface CompiledMatch {
  readonly server: NameTest | undefined;
  readonly tool: NameTest | undefined;
  readonly conditions: readonly Condition[];
}

/** Compiles a match (Interface Pack §2.4). No condition at all matches every call. `policy_invalid` on a bad pattern. */
export function compileMatch(match: PlainMatch): CompiledMatch {
  const conditions: Condition[] = [];
  const classes = match.risk_class;
  if (classes !== undefined)
    conditions.push({ field: 'risk_class', test: (facts) => matchClasses(classes, facts) });
  const hours = match.time?.utc_hours;
  if (hours !== undefined) {
    const test = ({ now }: Facts): Match => (hours.includes(utcHour(now)) ? 'yes' : 'no');
    conditions.push({ field: 'time.utc_hours', test });
  }
  if (match.args !== undefined) conditions.push(...argConditions(match.args));
  return {
    server: match.server_name === undefined ? undefined : anyName(match.server_name),
    tool: match.tool_name === undefined ? undefined : anyName(match.tool_name),
    conditions,
  };
}

function utcHour(now: number): number {
  const hour = Math.floor(now / 3_600_000) % 24;
  return hour < 0 ? hour + 24 : hour;
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
