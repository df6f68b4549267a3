import { beginningIn, columnsOf, padded } from './columns.js';
import { clip, clipMiddle, escapeText } from './escape.js';
import type { Paint, Surface, Tone } from './style.js';

/** One cell: raw text (escaped here) and how it stands out. */
export interface Cell {
  readonly text: string;
  /** Its text, escaped, for so many columns, where it is not just cut. */
  readonly within?: (columns: number) => string;
  readonly tone?: Tone;
}

/** One column of a table. */
export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
  /** How wide it may grow, and to what it may be made narrower. */
  readonly max?: number;
  readonly min?: number;
  /** Where a text that is too long is cut. Default: at its end. */
  readonly cut?: 'end' | 'middle';
  /** It is left out where the terminal is too narrow for all of them: the highest first. */
  readonly spare?: number;
}

/** The last column is not made narrower than this, or its `min`, as long as others can be. */
const MIN_LAST = 12;
/** A cell is cut there wherever it goes. */
const MAX_WHOLE = 10_000;
/** So much of a cell says something. */
const MIN_ANY = 6;

/**
 * Lines of an aligned table, heading first; an empty one is just its heading. Cells are escaped and cut, so a
 * row is always one line. Where no terminal limits it nothing is cut. On a narrow terminal the last column
 * gives way, then those with a `min`; where that is not enough, spare ones are left out.
 */
export function table(
  all: readonly Column[],
  rows: readonly (readonly Cell[])[],
  { paint, width }: Surface,
): string[] {
  const given = rows.map((row) => all.map((column, index) => cutTo(row[index], column.max ?? 80, column)));
  // Programs and files get whole cells, whatever that does to a column.
  const isWhole = width === Number.POSITIVE_INFINITY;
  const asked = all.map((column, index) =>
    Math.max(column.title.length, ...given.map((cells) => columnsOf(cells[index] ?? ''))),
  );
  const shown = shownOf(all, asked, width);
  const columns = shown.flatMap((index) => all[index] ?? []);
  const widths = fitted(
    columns,
    shown.map((index) => asked[index] ?? 0),
    width,
  );
  const lineOf = (cells: readonly string[], toneOf: (index: number) => Tone): string =>
    cells
      .map((text, index) => {
        const gap = ' '.repeat(Math.max(0, (widths[index] ?? 0) - columnsOf(text)));
        const painted = paint(toneOf(index), text);
        if (columns[index]?.align === 'right') return `${gap}${painted}`;
        return index === cells.length - 1 ? painted : `${painted}${gap}`;
      })
      .join('  ')
      .trimEnd();
  return [
    lineOf(
      columns.map(({ title }, at) => clip(title, widths[at] ?? 0)),
      () => 'dim',
    ),
    ...rows.map((cells) =>
      lineOf(
        columns.map((column, at) =>
          isWhole
            ? cutTo(cells[shown[at] ?? 0], MAX_WHOLE, { ...column, max: MAX_WHOLE })
            : cutTo(cells[shown[at] ?? 0], widths[at] ?? 0, column),
        ),
        (at) => cells[shown[at] ?? 0]?.tone ?? 'plain',
      ),
    ),
  ];
}

function cutTo(cell: Cell | undefined, width: number, { max = 80, cut }: Column): string {
  const most = Math.min(width, max);
  if (cell?.within !== undefined) return cell.within(most);
  const text = escapeText(cell?.text ?? '');
  return cut === 'middle' ? clipMiddle(text, most) : clip(text, most);
}

/** The indexes of the columns that are shown. */
function shownOf(columns: readonly Column[], asked: readonly number[], width: number): readonly number[] {
  const least = columns.map(({ title, min }, index) => {
    const isLast = index === columns.length - 1;
    const lowest = min ?? (isLast ? MIN_LAST : undefined);
    const now = asked[index] ?? 0;
    return lowest === undefined ? now : Math.min(now, Math.max(lowest, isLast ? 0 : title.length));
  });
  let shown = columns.map((_, index) => index);
  const needed = (): number =>
    shown.reduce((sum, index) => sum + (least[index] ?? 0), 2 * (shown.length - 1));
  const spareFirst = columns
    .flatMap(({ spare }, index) => (spare === undefined ? [] : [{ spare, index }]))
    .toSorted((a, b) => b.spare - a.spare);
  for (const { index } of spareFirst) if (needed() > width) shown = shown.filter((one) => one !== index);
  return shown;
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
  const fromLast = columns.map((_, index) => last - index);
  narrow(last, columns[last]?.min ?? MIN_LAST);
  for (const index of fromLast) {
    const { min, title = '' } = columns[index] ?? {};
    if (min !== undefined && index < last) narrow(index, Math.max(min, title.length));
  }
  // A line is never longer than the terminal: then rather cut what should not be.
  for (const least of [MIN_ANY, 1]) for (const index of fromLast) narrow(index, least);
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
      `${paint('dim', padded(line === 0 ? name : '', width))}  ${paint(cell.tone ?? 'plain', text)}`.trimEnd(),
    ),
  );
}

/** A value is not made narrower than this. */
const MIN_VALUE = 20;

/**
 * Text in lines of that many columns, cut at blanks. The cut is outside of backticks where that is possible,
 * since people copy commands. A text without blanks is cut behind a slash, else where a line is full.
 */
export function wrapped(text: string, columns: number): string[] {
  const lines: string[] = [];
  let rest = text;
  while (columnsOf(rest) > columns) {
    const line = beginningIn(rest, columns) || (Array.from(rest)[0] ?? '');
    const blank = lastBlank(rest, line.length);
    const end = blank ?? endOfPart(line);
    lines.push(rest.slice(0, end));
    rest = rest.slice(blank === undefined ? end : end + 1);
  }
  return [...lines, rest];
}

/** How much of a line without blanks is whole: a path up to one of its slashes. */
function endOfPart(line: string): number {
  const slash = line.lastIndexOf('/') + 1;
  return slash > line.length / 2 ? slash : line.length;
}

/** The last blank up to `to` that stands in no command, else the last one; undefined where there is none. */
function lastBlank(text: string, to: number): number | undefined {
  let [free, any]: readonly (number | undefined)[] = [undefined, undefined];
  let isQuoted = false;
  for (let at = 0; at <= to; at += 1) {
    if (text[at] === '`') isQuoted = !isQuoted;
    if (text[at] !== ' ' || at === 0) continue;
    any = at;
    if (!isQuoted) free = at;
  }
  return free ?? any;
}
