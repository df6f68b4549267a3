import { escapeText } from '../output/escape.js';
import type { Surface } from '../output/style.js';
import { pairs, table, wrapped } from '../output/table.js';
import type { Page, Section } from './document.js';

/** The lines of a report on a terminal. */
export function textLines(page: Page, surface: Surface): readonly string[] {
  const { paint, width } = surface;
  return [
    paint('bold', escapeText(page.title)),
    ...pairs(page.facts, paint, width),
    ...page.remarks.flatMap((remark) => ['', ...wrapped(escapeText(remark), width)]),
    ...page.sections.flatMap((section) => ['', ...sectionLines(section, surface)]),
  ];
}

function sectionLines({ title, lead, columns, rows, more }: Section, surface: Surface): readonly string[] {
  return [
    surface.paint('bold', escapeText(title)),
    ...(lead === undefined ? [] : wrapped(escapeText(lead), surface.width)),
    ...(rows.length === 0 ? [] : table(columns, rows, surface)),
    ...(more > 0 ? [`… ${more} more`] : []),
  ];
}
