import type { ProblemCode } from './codes.js';

/**
 * One mistake, or one thing to think about, in a policy bundle, with the place in the file where it stands.
 */
export interface PolicyProblem {
  /** Errors keep the bundle from loading; warnings do not. */
  readonly severity: 'error' | 'warning';
  readonly code: ProblemCode;
  /** The fault: lowercase, the file's own words in backticks. */
  readonly message: string;
  /** Both count from 1; the column counts UTF-16 units. */
  readonly line: number;
  readonly column: number;
  /** Where in the bundle, as in `rules[2].match.args`; empty for the bundle itself. */
  readonly path: string;
  /** The allowed text, or the next step. */
  readonly help?: string;
}

/** Keys and indexes from the bundle down to one value. */
export type Path = readonly (string | number)[];

/** A problem that knows where in the bundle it is, but not yet in which line. */
export interface Finding {
  readonly code: ProblemCode;
  readonly message: string;
  readonly path: Path;
  /** Whether the key or the value of the last step is meant. Default value. */
  readonly at?: 'key' | 'value';
  readonly help?: string;
}

const PLAIN_KEY = /^[A-Za-z_][A-Za-z0-9_-]*$/;

/** `['rules', 2, 'match']` as people write it: `rules[2].match`. */
export function pathText(path: Path): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else if (PLAIN_KEY.test(step)) text += text === '' ? step : `.${step}`;
    else text += `[${JSON.stringify(step)}]`;
  }
  return text;
}

/** `text` in backticks, shortened, without control characters that could forge lines or colours. */
export function quoted(text: string): string {
  const plain = text.replaceAll(/\p{C}/gu, '\u{fffd}');
  return `\`${plain.length > 60 ? `${plain.slice(0, 60)}…` : plain}\``;
}

/** A list of allowed words for a help line. */
export function listed(words: readonly string[]): string {
  return words.map((word) => `\`${word}\``).join(', ');
}

/** In the order of the file. */
export function byPlace(a: PolicyProblem, b: PolicyProblem): number {
  return a.line - b.line || a.column - b.column;
}
