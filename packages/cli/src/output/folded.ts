import { columnsOf } from './columns.js';
import { wrapped } from './table.js';

/** The codes that a `Paint` writes, and no others. */
const ESCAPE = '\u001b';
const CODE = new RegExp(String.raw`${ESCAPE}\[[0-9]+m`, 'g');
const CODE_HERE = new RegExp(CODE.source, 'y');
const RESET = `${ESCAPE}[0m`;

/**
 * A painted line as lines of so many columns. Those that follow stand as far in as the first, and each has
 * its own codes: a pager shows lines one by one.
 */
export function folded(line: string, columns: number): readonly string[] {
  const plain = line.replaceAll(CODE, '');
  if (columnsOf(plain) <= columns) return [line];
  const indent = Math.min(/^ */.exec(plain)?.[0].length ?? 0, Math.floor(columns / 2));
  const pieces = wrapped(plain.slice(indent), columns - indent);
  const lines: string[] = [];
  let [at, paint] = [0, ''];
  /** Takes the codes, and so many characters, of the line. */
  const take = (count: number): string => {
    let text = paint;
    for (let left = count; ;) {
      CODE_HERE.lastIndex = at;
      const code = CODE_HERE.exec(line)?.[0];
      if (code === undefined && left === 0) break;
      if (code !== undefined) paint = code === RESET ? '' : paint + code;
      else left -= 1;
      text += code ?? line[at] ?? '';
      at += code?.length ?? 1;
    }
    return paint === '' ? text : `${text}${RESET}`;
  };
  take(indent);
  let done = indent;
  for (const piece of pieces) {
    if (lines.length > 0 && plain.startsWith(` ${piece}`, done)) {
      take(1);
      done += 1;
    }
    lines.push(' '.repeat(indent) + take(piece.length));
    done += piece.length;
  }
  return lines;
}
