import { redact } from '@subluminal/core-types';
import type { PolicyProblem } from '@subluminal/policy';
import { clip, escapeText } from '../output/escape.js';
import type { Output } from '../output/output.js';

/** Of a longer line the part around the mistake is shown. */
const MAX_SHOWN = 100;
/** So much of it stands before the mistake. */
const BEFORE = 0.6;

/** A mistake in a policy or its tests, its place, and how it may be put right. */
export type Problem = Pick<PolicyProblem, 'severity' | 'message' | 'line' | 'column' | 'help'> & {
  readonly code: string;
};

const LINES = /\r\n|\n|\r/;

/** Mistakes without what looks like a credential: a message may quote the file. */
export function withoutSecrets<P extends Problem & { readonly path?: string }>(
  problems: readonly P[],
): readonly P[] {
  return problems.map((problem) => ({
    ...problem,
    message: redact(problem.message).text,
    ...(problem.path === undefined ? {} : { path: redact(problem.path).text }),
    ...(problem.help === undefined ? {} : { help: redact(problem.help).text }),
  }));
}

/** Mistakes and warnings for people, each with its place, its line of the file, and what to do. */
export function problemLines(
  file: string,
  text: string,
  problems: readonly Problem[],
  { paint, width }: Pick<Output, 'paint' | 'width'>,
): readonly string[] {
  const lines = problems.length === 0 ? [] : plainLines(text);
  return withoutSecrets(problems).flatMap(({ severity, code, message, line, column, help }) => {
    const tone = severity === 'error' ? 'bad' : 'warn';
    const place = `${escapeText(file)}:${line}:${column}`;
    const gutter = ' '.repeat(String(line).length);
    const { shown, offset } = excerpt(lines[line - 1] ?? '', column, width - gutter.length - 3);
    return [
      `${place}: ${paint(tone, `${severity}[${code}]`)}: ${escapeText(message)}`,
      `${gutter} |`,
      `${line} | ${shown}`,
      `${gutter} | ${' '.repeat(offset)}${paint(tone, '^')}`,
      ...(help === undefined ? [] : [`${gutter} = ${paint('bold', 'help')}: ${escapeText(help)}`]),
    ];
  });
}

/** The lines of a file without its credentials. Where one goes over several lines no line can be shown. */
function plainLines(text: string): readonly string[] {
  const lines = redact(text).text.split(LINES);
  return lines.length === text.split(LINES).length ? lines : [];
}

/** The line as it may stand on a terminal, and in how many characters of it the mistake begins. */
function excerpt(
  line: string,
  column: number,
  room: number,
): { readonly shown: string; readonly offset: number } {
  const most = Math.max(20, Math.min(MAX_SHOWN, room));
  const kept = Math.floor(most * BEFORE);
  const whole = Array.from(escaped(line.slice(0, column - 1)));
  const before = whole.length > kept ? `…${whole.slice(-kept).join('')}` : whole.join('');
  const shown = clip(`${before}${escaped(line.slice(column - 1))}`, most);
  return { shown, offset: Array.from(before).length };
}

/** A tab is shown as one space, so that the caret stands where it belongs. */
function escaped(text: string): string {
  return escapeText(text.replaceAll('\t', ' '));
}
