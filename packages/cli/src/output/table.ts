import { clip, escapeText } from './escape.js';
import type { Paint, Surface, Tone } from './style.js';

/** One cell: raw text (escaped here) and how it stands out. */
export interface Cell {
  readonly text: string;
  readonly tone?: Tone;
}

/**
 * One column: its heading, where its text stands, how wide it may grow, and to what it may be made narrower.
 */
export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
  readonly max?: number;
  readonly min?: number;
}

/** The last column is not made narrower than this, or its `min`: then rather let the terminal wrap. */
const MIN_LAST = 12;

/**
 * Lines of an aligned table, heading first; an empty one is just its heading. Cells are escaped and clipped,
 * so a row is always one line; the last column gives way to a narrow terminal, and then those with a `min`.
 */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  { paint, width }: Surface,
): string[] {
  const whole = rows.map((row) =>
    columns.map((column, index) => clip(escapeText(row[index]?.text ?? ''), column.max ?? 80)),
  );
  const widths = fitted(
    columns,
    columns.map((column, index) =>
      Math.max(column.title.length, ...whole.map((cells) => widthOf(cells[index] ?? ''))),
    ),
    width,
  );
  const body = whole.map((cells) => cells.map((text, index) => clip(text, widths[index] ?? 0)));
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

/** The widths of columns on a terminal, from those that their cells ask for. */
function fitted(columns: readonly Column[], asked: readonly number[], width: number): readonly number[] {
  const widths = [...asked];
  const last = columns.length - 1;
  const over = (): number => widths.reduce((sum, one) => sum + one, 0) + 2 * last - width;
  const narrow = (index: number, least: number): void => {
    const now = widths[index] ?? 0;
    widths[index] = Math.max(Math.min(now, least), now - Math.max(0, over()));
  };
  narrow(last, columns[last]?.min ?? MIN_LAST);
  for (let index = last - 1; index >= 0; index -= 1) {
    const { min, title = '' } = columns[index] ?? {};
    if (min !== undefined) narrow(index, Math.max(min, title.length));
  }
  return widths;
}

/**
 * Lines of `name  value` pairs. The values are aligned, also where one takes several lines of a narrow
 * terminal.
 */
export function pairs(
  entries: readonly (readonly [string, Cell])[],
  paint: Paint,
  columns = Number.POSITIVE_INFINITY,
): string[] {
  const width = Math.max(0, ...entries.map(([name]) => name.length));
  return entries.flatMap(([name, cell]) =>
    wrapped(escapeText(cell.text), Math.max(MIN_VALUE, columns - width - 2)).map((text, line) =>
      `${paint('dim', (line === 0 ? name : '').padEnd(width))}  ${paint(cell.tone ?? 'plain', text)}`.trimEnd(),
    ),
  );
}

/** A value is not made narrower than this: then rather let the terminal wrap. */
const MIN_VALUE = 30;

/**
 * Text in lines of that many columns, cut at blanks. The cut is outside of backticks where that is possible,
 * since people copy commands. A text without blanks stays as it is.
 */
export function wrapped(text: string, columns: number): string[] {
  const letters = Array.from(text);
  const lines: string[] = [];
  let from = 0;
  while (letters.length - from > columns) {
    const blank = lastBlank(letters, from, from + columns);
    lines.push(letters.slice(from, blank ?? from + columns).join(''));
    from = blank === undefined ? from + columns : blank + 1;
  }
  return [...lines, letters.slice(from).join('')];
}

/**
 * The last blank up to `to` that stands in no command, else the last blank. Undefined where no blank is
 * behind `from`.
 */
function lastBlank(letters: readonly string[], from: number, to: number): number | undefined {
  let [free, any]: readonly (number | undefined)[] = [undefined, undefined];
  let isQuoted = false;
  for (let at = from; at <= to; at += 1) {
    if (letters[at] === '`') isQuoted = !isQuoted;
    if (letters[at] !== ' ' || at === from) continue;
    any = at;
    if (!isQuoted) free = at;
  }
  return free ?? any;
}

function widthOf(text: string): number {
  return Array.from(text).length;
}
