import { clip, escapeText } from './escape.js';
import type { Paint, Surface, Tone } from './style.js';

/** One cell: raw text (escaped here) and how it stands out. */
export interface Cell {
  readonly text: string;
  readonly tone?: Tone;
}

/** One column: its heading, where its text stands, and how wide it may grow. */
export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
  readonly max?: number;
}

/** The last column is not made narrower than this: then rather let the terminal wrap. */
const MIN_LAST = 12;

/**
 * Lines of an aligned table, heading first; an empty one is just its heading. Cells are escaped and clipped, so a row
 * is always one line; the last column gives way to a narrow terminal.
 */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  { paint, width }: Surface,
): string[] {
  const whole = rows.map((row) =>
    columns.map((column, index) => clip(escapeText(row[index]?.text ?? ''), column.max ?? 80)),
  );
  const widths = columns.map((column, index) =>
    Math.max(column.title.length, ...whole.map((cells) => widthOf(cells[index] ?? ''))),
  );
  const last = columns.length - 1;
  const before = widths.slice(0, last).reduce((sum, one) => sum + one + 2, 0);
  const room = Math.max(MIN_LAST, width - before);
  const body = whole.map((cells) => cells.map((text, index) => (index === last ? clip(text, room) : text)));
  const lineOf = (cells: readonly string[], toneOf: (index: number) => Tone): string =>
    cells
      .map((text, index) => {
        const gap = ' '.repeat(Math.max(0, (widths[index] ?? 0) - widthOf(text)));
        const painted = paint(toneOf(index), text);
        if (columns[index]?.align === 'right') return `${gap}${painted}`;
        return index === cells.length - 1 ? painted : `${painted}${gap}`;
      })
      .join('  ')
      .trimEnd();
  return [
    lineOf(
      columns.map((column) => column.title),
      () => 'dim',
    ),
    ...body.map((cells, row) => lineOf(cells, (index) => rows[row]?.[index]?.tone ?? 'plain')),
  ];
}

/** Lines of `name  value` pairs with the values aligned. */
export function pairs(entries: readonly (readonly [string, Cell])[], paint: Paint): string[] {
  const width = Math.max(0, ...entries.map(([name]) => name.length));
  return entries.map(([name, cell]) =>
    `${paint('dim', name.padEnd(width))}  ${paint(cell.tone ?? 'plain', escapeText(cell.text))}`.trimEnd(),
  );
}

function widthOf(text: string): number {
  return Array.from(text).length;
}
