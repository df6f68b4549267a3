import { plainLines } from '../output/plain-line.js';
import { escapeText } from '../output/escape.js';
import type { Page, PageColumn, Section, Text } from './document.js';

/** A report as Markdown (GFM). Nothing in a text of an agent is markup. */
export function markdownOf({ title, facts, remarks, sections }: Page): string {
  const lines = [
    `# ${words(title)}`,
    '',
    ...facts.map(([name, { text }]) => `- ${words(name)}: ${code(text)}`),
    ...remarks.flatMap((remark) => ['', `> ${words(remark)}`]),
    ...sections.flatMap(sectionLines),
  ];
  return `${plainLines(lines.join('\n'))}\n`;
}

function sectionLines({ title, lead, columns, rows, more }: Section): readonly string[] {
  return [
    '',
    // Underlined: CI systems take `##` for the beginning of a command.
    words(title),
    '---',
    ...(lead === undefined ? [] : ['', words(lead)]),
    ...(rows.length === 0 ? [] : ['', ...tableLines(columns, rows)]),
    ...(more > 0 ? ['', `… ${more} more`] : []),
  ];
}

function tableLines(columns: readonly PageColumn[], rows: readonly (readonly Text[])[]): readonly string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    line(columns.map(({ title }) => words(title.toLowerCase()))),
    line(columns.map(({ align }) => (align === 'right' ? '--:' : '---'))),
    ...rows.map((cells) => line(cells.map(({ text }) => code(text)))),
  ];
}

/** A text of ours, or one of theirs in it: every character that could be markup is escaped. */
function words(text: string): string {
  return escapeText(text).replaceAll(/[\\`*_{}[\]<>()#+!|~&@:$^=-]/g, (one) => `\\${one}`);
}

/**
 * A text as code. A table is cut at `|` before it is read as code, so that is escaped there too. Readers do
 * not agree about one behind a backslash, which therefore stands as a number.
 */
function code(text: string): string {
  const escaped = escapeText(text);
  if (escaped === '') return '';
  const longest = Math.max(0, ...(escaped.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  const room = longest > 0 || escaped.startsWith(' ') || escaped.endsWith(' ') ? ' ' : '';
  return `${fence}${room}${escaped.replaceAll(/(?<=\\)\|/g, String.raw`\x7c`).replaceAll('|', String.raw`\|`)}${room}${fence}`;
}
