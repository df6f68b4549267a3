import { sha256Hex } from '@subluminal/core-types';
import { escapeText } from '../output/escape.js';
import type { Page, PageColumn, Section, Text } from './document.js';
import { STYLE } from './style-sheet.js';

/**
 * A report as one page of HTML that loads nothing and runs nothing: its policy lets in the one style sheet
 * that stands in it, by its hash. Every text is escaped, for a terminal that shows the source, too.
 */
export function htmlOf({ title, facts, remarks, sections }: Page, footer: string): string {
  const hash = Buffer.from(sha256Hex(STYLE), 'hex').toString('base64');
  const csp = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${csp}">`,
    '<meta name="referrer" content="no-referrer">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escaped(title)}</title>`,
    `<style>${STYLE}</style>`,
    '</head>',
    '<body>',
    `<h1>${escaped(title)}</h1>`,
    '<dl>',
    ...facts.map(
      ([name, value]) => `<dt>${escaped(name)}</dt><dd${classOf(value.tone)}>${escaped(value.text)}</dd>`,
    ),
    '</dl>',
    ...remarks.map((remark) => `<p class="remark">${escaped(remark)}</p>`),
    ...sections.flatMap(sectionLines),
    `<footer>${escaped(footer)}</footer>`,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

function sectionLines({ title, lead, columns, rows, more }: Section): readonly string[] {
  return [
    `<h2>${escaped(title)}</h2>`,
    ...(lead === undefined ? [] : [`<p>${escaped(lead)}</p>`]),
    ...(rows.length === 0
      ? []
      : [
          '<table>',
          `<thead><tr>${columns.map((column) => `<th${classOf(...classesOf(column))}>${escaped(column.title.toLowerCase())}</th>`).join('')}</tr></thead>`,
          '<tbody>',
          ...rows.map(
            (cells) => `<tr>${columns.map((column, at) => cellOf(column, cells[at])).join('')}</tr>`,
          ),
          '</tbody>',
          '</table>',
        ]),
    ...(more > 0 ? [`<p class="dim">… ${more} more</p>`] : []),
  ];
}

function cellOf(column: PageColumn, cell: Text | undefined): string {
  const text = escaped(cell?.text ?? '');
  const inner = column.isCode === true && text !== '' ? `<code>${text}</code>` : text;
  return `<td${classOf(...classesOf(column), cell?.tone)}>${inner}</td>`;
}

function classesOf({ align, isCode, max }: PageColumn): readonly string[] {
  if (align === 'right') return ['right'];
  return isCode === true || (max ?? 0) > 100 ? ['text'] : ['short'];
}

function classOf(...names: readonly (string | undefined)[]): string {
  const given = names.filter((name) => name !== undefined && name !== 'plain');
  return given.length === 0 ? '' : ` class="${given.join(' ')}"`;
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
]);

function escaped(text: string): string {
  return escapeText(text).replaceAll(/[&<>"']/g, (one) => ENTITIES.get(one) ?? '');
}
