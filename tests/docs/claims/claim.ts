import type { CitedTests } from '../../requirements/requirement.js';

/** A fact that no test can show, in one sentence: what a system, a disk or another person does. */
export interface Limit {
  readonly limit: string;
}

/** Claims of a page by the beginnings of its paragraphs, bullets and rows, each with what shows it. */
export type Claims = Readonly<Record<string, CitedTests | Limit>>;

/** Puts tests of several files together. */
export function all(first: CitedTests, ...others: readonly CitedTests[]): CitedTests {
  return [...first, ...others.flat()];
}
