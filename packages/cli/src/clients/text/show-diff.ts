import { redact } from '@subluminal/core-types';
import { lineEdits, type LineEdit } from '../../files/line-edits.js';
import type { Client, ClientFile } from '../client.js';

/** Lines beside a change that are shown. */
const CONTEXT = 3;
/** A longer line is cut: some clients write everything into one. */
const MAX_COLUMNS = 1_000;

/** The words that `shimArgs` writes behind the home, up to the `--`. */
const OUR_PASS = /(?:, "--pass", "[A-Za-z0-9_]{1,256}")+(?=, "--")/g;

/**
 * The difference of a file's texts as a unified diff for people: values of variables and headers, and what
 * looks like a credential, are masked in it. Empty where they are the same.
 */
export function shownDiff(
  client: Client,
  file: ClientFile,
  before: string,
  after: string,
): readonly string[] {
  if (before === after) return [];
  const [old, fresh] = [before, after].map((text) => linesOf(shown(client.masked(file, text))));
  return unified(old ?? [], fresh ?? [], file.path);
}

/** The names behind our own `--pass` are no passwords, and the reader wants to see them. */
function shown(text: string): string {
  const kept = text.replace(OUR_PASS, (found) => found.replaceAll('--pass', '--p\ue000ass'));
  return redact(kept).text.replaceAll('--p\ue000ass', '--pass');
}

/** A unified diff of lines, with a hunk for each place that changed. */
export function unified(old: readonly string[], fresh: readonly string[], name: string): readonly string[] {
  const steps = lineEdits(old, fresh);
  const lines = [`--- ${name}`, `+++ ${name}`];
  for (const [from, to] of hunks(steps)) {
    const hunk = steps.slice(from, to);
    const left = hunk.filter(({ sign }) => sign !== '+');
    const right = hunk.filter(({ sign }) => sign !== '-');
    const start = steps[from];
    lines.push(`@@ -${range(start?.old ?? 0, left.length)} +${range(start?.fresh ?? 0, right.length)} @@`);
    lines.push(...hunk.map(({ sign, text }) => sign + cut(text)));
  }
  return lines;
}

/** From where to where steps are shown. */
function hunks(steps: readonly LineEdit[]): readonly (readonly [number, number])[] {
  const found: [number, number][] = [];
  for (const [index, { sign }] of steps.entries()) {
    if (sign === ' ') continue;
    const last = found.at(-1);
    const from = Math.max(0, index - CONTEXT);
    const to = Math.min(steps.length, index + CONTEXT + 1);
    if (last !== undefined && from <= last[1]) last[1] = to;
    else found.push([from, to]);
  }
  return found;
}

function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r?\n/);
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

function range(before: number, count: number): string {
  return `${count === 0 ? before : before + 1},${count}`;
}

function cut(line: string): string {
  return line.length <= MAX_COLUMNS ? line : `${line.slice(0, MAX_COLUMNS)}…`;
}
