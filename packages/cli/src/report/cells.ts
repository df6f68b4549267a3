import type { Reported } from '@subluminal/records';
import type { PageColumn, Section, Text } from './document.js';

/** Columns that tables of a report share. */
export const COUNT = { align: 'right' } as const;
export const CODE = { max: 300, min: 16, cut: 'middle', isCode: true } as const;
export const NAME = { max: 60, min: 12, cut: 'middle', isCode: true } as const;
export const RULE = { title: 'RULE', max: 40, min: 8 } as const;

/** A count; nothing if it is none. */
export function count(value: number, tone: Text['tone'] = 'plain'): Text {
  return value === 0 ? { text: '', tone: 'plain' } : { text: String(value), tone };
}

/** Makes a table of some rows, at most so many. */
export function section<Row>(
  title: string,
  { rows, left }: Reported<Row>,
  most: number,
  columns: readonly PageColumn[],
  row: (one: Row) => readonly Text[],
): Section {
  return {
    title,
    columns,
    rows: rows.slice(0, most).map(row),
    more: Math.max(0, rows.length - most) + left,
  };
}
