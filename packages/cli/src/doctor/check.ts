import { isSublError } from '@subluminal/core-types';
import { escapeText } from '../output/escape.js';
import type { Output } from '../output/output.js';
import type { Tone } from '../output/style.js';
import { wrapped } from '../output/table.js';

/** How one check came out: `warn` works but should be looked at, `fail` does not work. */
export type Level = 'ok' | 'warn' | 'fail';

/** One line of `sub doctor`. */
export interface Check {
  readonly name: string;
  readonly level: Level;
  readonly message: string;
  /** The next step; present unless all is well. */
  readonly help?: string;
}

/** A check that came out well. */
export function ok(name: string, message: string): Check {
  return { name, level: 'ok', message };
}

/** A check that found something. */
export function found(name: string, level: 'warn' | 'fail', message: string, help: string): Check {
  return { name, level, message, help };
}

/** A check's own error as its result: a doctor that stops at the first thing that is broken is of no use. */
export function failedWith(name: string, error: unknown, help: string): Check {
  const message = error instanceof Error ? error.message : String(error);
  return found(name, 'fail', message, isSublError(error) && error.help !== undefined ? error.help : help);
}

const TONES: Readonly<Record<Level, Tone>> = { ok: 'good', warn: 'warn', fail: 'bad' };

/** A message is not made narrower than this: then rather let the terminal wrap. */
const MIN_TEXT = 30;

/** Prints each check with what to do, in columns as wide as the terminal. */
export function printChecks(output: Output, checks: readonly Check[]): void {
  const width = Math.max(...checks.map((check) => check.name.length));
  const before = ' '.repeat(4 + 2 + width + 2);
  const inColumn = (text: string): readonly string[] =>
    wrapped(text, Math.max(MIN_TEXT, output.width - before.length));
  for (const { name, level, message, help } of checks) {
    const [first = '', ...more] = inColumn(escapeText(message));
    const [helpFirst = '', ...helpMore] = help === undefined ? [] : inColumn(`help: ${escapeText(help)}`);
    output.lines([
      `${output.paint(TONES[level], level.padEnd(4))}  ${name.padEnd(width)}  ${first}`,
      ...more.map((line) => before + line),
      ...(help === undefined ? [] : [before + helpFirst.replace(/^help/, output.paint('bold', 'help'))]),
      ...helpMore.map((line) => before + line),
    ]);
  }
}
