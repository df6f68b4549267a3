import type { PolicyProblem } from '@subluminal/policy';
import { clip, escapeText } from '../output/escape.js';
import type { Output } from '../output/output.js';

/** Of a longer line the part around the mistake is shown. */
const MAX_SHOWN = 100;
const BEFORE = 60;

/** A mistake in a policy or its tests, its place, and how it may be put right. */
export type Problem = Pick<PolicyProblem, 'severity' | 'message' | 'line' | 'column' | 'help'> & {
  readonly code: string;
};

/** Mistakes and warnings for people, each with its place, its line of the file, and what to do. */
export function problemLines(
  file: string,
  text: string,
  problems: readonly Problem[],
  { paint }: Pick<Output, 'paint'>,
): readonly string[] {
  const lines = text.split(/\r\n|\n|\r/);
  return problems.flatMap(({ severity, code, message, line, column, help }) => {
    const tone = severity === 'error' ? 'bad' : 'warn';
    const place = `${escapeText(file)}:${line}:${column}`;
    const gutter = ' '.repeat(String(line).length);
    const { shown, offset } = excerpt(lines[line - 1] ?? '', column);
    return [
      `${place}: ${paint(tone, `${severity}[${code}]`)}: ${escapeText(message)}`,
      `${gutter} |`,
      `${line} | ${shown}`,
      `${gutter} | ${' '.repeat(offset)}${paint(tone, '^')}`,
      ...(help === undefined ? [] : [`${gutter} = ${paint('bold', 'help')}: ${escapeText(help)}`]),
    ];
  });
}

/** The line as it may stand on a terminal, and in how many characters of it the mistake begins. */
function excerpt(line: string, column: number): { readonly shown: string; readonly offset: number } {
  const whole = Array.from(escaped(line.slice(0, column - 1)));
  const before = whole.length > BEFORE ? `…${whole.slice(-BEFORE).join('')}` : whole.join('');
  const shown = clip(`${before}${escaped(line.slice(column - 1))}`, MAX_SHOWN);
  return { shown, offset: Array.from(before).length };
}

/** A tab is shown as one space, so that the caret stands where it belongs. */
function escaped(text: string): string {
  return escapeText(text.replaceAll('\t', ' '));
}
