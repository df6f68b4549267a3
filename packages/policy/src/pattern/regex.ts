import { RE2JS, RE2JSException } from 're2js';
import { MAX_PATTERN_LENGTH, MAX_PROGRAM_SIZE } from './limits.js';
import { type Literals, regexLiterals } from './literals.js';
import { repeatedSize } from './repeated-size.js';

/** Tells whether a pattern matches a whole name. Linear in the length of the name. */
export type NameTest = (name: string) => boolean;

/** Whether one of some tests holds. */
export function anyTest(tests: readonly NameTest[]): NameTest {
  const [only] = tests;
  if (tests.length === 1 && only !== undefined) return only;
  return (name) => {
    // `some` takes twice the time.
    for (const test of tests) if (test(name)) return true;
    return false;
  };
}

/** A compiled pattern, or why there is none. */
export type PatternResult =
  | {
      readonly ok: true;
      readonly normal: string;
      readonly test: NameTest;
      readonly literals: Literals;
      /** The steps that it compiles to; 0 for one that needs no automaton. */
      readonly size: number;
    }
  | {
      readonly ok: false;
      readonly code: 'empty_pattern' | 'bad_glob' | 'bad_regex' | 'pattern_too_large';
      readonly why: string;
    };

/**
 * Compiles a regex of RE2 syntax (no lookaround, no backreferences). It has to match the **whole** name:
 * `git` does not match `github`, `git.*` does. `.` also matches a line break, so that a name cannot slip past
 * a deny with one; `(?-s)` and `(?i)` change the defaults as RE2 says.
 */
export function compileRegex(source: string): PatternResult {
  if (source === '') return { ok: false, code: 'empty_pattern', why: 'the regex is empty' };
  if (source.length > MAX_PATTERN_LENGTH) {
    const why = `the regex has ${source.length} characters; at most ${MAX_PATTERN_LENGTH} are allowed`;
    return { ok: false, code: 'pattern_too_large', why };
  }
  // A program is refused by its true size below, but only once it is there, and a large one takes seconds to
  // make.
  if (repeatedSize(source) > 4 * MAX_PROGRAM_SIZE) {
    const why = `the regex repeats its parts too often; it may compile to at most ${MAX_PROGRAM_SIZE} steps`;
    return { ok: false, code: 'pattern_too_large', why };
  }
  try {
    return withinLimit(source, RE2JS.compile(source, RE2JS.DOTALL));
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return { ok: false, code: 'bad_regex', why: plainWords(error) };
  }
}

function withinLimit(source: string, regex: RE2JS): PatternResult {
  const size = regex.programSize();
  if (size > MAX_PROGRAM_SIZE) {
    const why = `the regex compiles to ${size} steps; at most ${MAX_PROGRAM_SIZE} are allowed`;
    return { ok: false, code: 'pattern_too_large', why };
  }
  const test = (name: string): boolean => regex.testExact(name);
  return { ok: true, normal: source, test, literals: regexLiterals(source), size };
}

/**
 * For a source that this package wrote itself, from a glob of limited length; throws where it cannot be
 * compiled.
 */
export function compileRegexUnlimited(source: string): { readonly test: NameTest; readonly size: number } {
  const regex = RE2JS.compile(source, RE2JS.DOTALL);
  return { test: (name) => regex.testExact(name), size: regex.programSize() };
}

/** The engine quotes the pattern with the flag that was put in front of it. */
function plainWords(error: RE2JSException): string {
  return error.message.replace('error parsing regexp: ', '').replace('`(?s)', '`');
}
