import { escapeText } from '../output/escape.js';
import { wrapped } from '../output/table.js';
import type { PlannedFile } from './install.js';

/** One file as it would be, in a few lines: our parts by name, and what stays. */
export function planLines({ before, after, contents }: PlannedFile, width: number): readonly string[] {
  const { ours: replaced, others } = contents(before);
  const { ours, blockedWhenAway } = contents(after);
  const theirs = others.length === 0 ? '' : `hooks of others (${tallied(others)}), and `;
  const lines = [
    `${replaced.length === 0 ? 'adds' : `in the place of ${replaced.length} of ours`}: ${tallied(ours)}`,
    ...(blockedWhenAway.length === 0 ? [] : [blockedText(blockedWhenAway)]),
    before === '' ? 'the file is made for them' : `stays: ${theirs}every other byte`,
  ];
  return lines.flatMap((line) => wrapped(escapeText(line), width - 4).map((text) => `    ${text}`));
}

/** The tools that wait for a gateway. */
export function blockedText(tools: readonly string[]): string {
  return `not called while no gateway answers: ${tools.join(', ')}`;
}

/** How many there are of each name, in JSON. */
export function tally(names: readonly string[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return Object.fromEntries(counts);
}

function tallied(names: readonly string[]): string {
  return Object.entries(tally(names))
    .map(([name, count]) => (count === 1 ? name : `${name} (${count})`))
    .join(', ');
}
