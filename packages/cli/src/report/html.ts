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
  const heads = columns.map((column, at) => `<th${classOf(kindOf(columns, at))}>${nameOf(column)}</th>`);
  return [
    `<h2>${escaped(title)}</h2>`,
    ...(lead === undefined ? [] : [`<p>${escaped(lead)}</p>`]),
    ...(rows.length === 0
      ? []
      : [
          '<table>',
          `<thead><tr>${heads.join('')}</tr></thead>`,
          '<tbody>',
          ...rows.map(
            (cells) => `<tr>${columns.map((_, at) => cellOf(columns, at, cells[at])).join('')}</tr>`,
          ),
          '</tbody>',
          '</table>',
        ]),
    ...(more > 0 ? [`<p class="dim">… ${more} more</p>`] : []),
  ];
}

/** On a narrow screen the heading is gone, and each cell has its name before it. */
function cellOf(columns: readonly PageColumn[], at: number, cell: Text | undefined): string {
  const column = columns[at];
  const text = escaped(cell?.text ?? '');
  const inner = column?.isCode === true && text !== '' ? `<code>${text}</code>` : text;
  const classes = classOf(kindOf(columns, at), cell?.tone);
  return `<td${classes} data-name="${column === undefined ? '' : nameOf(column)}">${inner}</td>`;
}

/** The last column gets the room that the others leave. */
function kindOf(columns: readonly PageColumn[], at: number): string {
  if (columns[at]?.align === 'right') return 'right';
  return at === columns.length - 1 ? 'text' : 'short';
}

function nameOf({ title }: PageColumn): string {
  return escaped(title.toLowerCase());
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
