import { escapeText } from '../output/escape.js';

/** The lines that were added and taken out, as `+` and `-`, with tokens masked. */
export function shownDiffText(before: string, after: string): readonly string[] {
  const [old, now] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end))
    end += 1;
  const shown = (sign: string, lines: readonly string[]): readonly string[] =>
    lines.map((line) => `  ${sign} ${escapeText(line.replace(/Bearer [^"]+/, 'Bearer …'))}`);
  return [
    ...shown('-', old.slice(start, old.length - end)),
    ...shown('+', now.slice(start, now.length - end)),
  ];
}
