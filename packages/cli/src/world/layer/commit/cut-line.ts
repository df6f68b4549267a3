import { beginningIn, columnsOf, endIn } from '../../../output/columns.js';

/**
 * Blanks at one place that are shown; of more only their number, since what stands behind them would be cut.
 */
const MOST_BLANKS = 16;
const BLANKS = new RegExp(String.raw`[\p{Zs}\t]{${MOST_BLANKS + 1},}`, 'gu');

/** A line of a question as it is shown. */
export interface CutLine {
  readonly text: string;
  /** There is more of it than is shown. */
  readonly isCut: boolean;
}

/**
 * Shortens an escaped line to `width` columns: its beginning and its end stay, and between them the number of
 * characters that are left out. Many blanks are told by their number.
 */
export function cutLine(line: string, width: number): CutLine {
  const text = line.replace(BLANKS, (blanks) => `[${blanks.length} blanks]`).replaceAll('\t', '  ');
  if (columnsOf(text) <= width) return { text, isCut: false };
  const count = (kept: number): string => ` [… ${text.length - kept} more …] `;
  // The number has no more digits than this one.
  const room = Math.max(0, width - columnsOf(count(0)));
  const tail = Math.floor(room / 2);
  const [begin, end] = [beginningIn(text, room - tail), endIn(text, tail)];
  return { text: `${begin}${count(begin.length + end.length)}${end}`, isCut: true };
}
