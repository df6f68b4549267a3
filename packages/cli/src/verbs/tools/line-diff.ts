/** One line of a comparison: taken out, put in, or the same. */
export interface DiffLine {
  readonly sign: '-' | '+' | ' ';
  readonly text: string;
}

/** More cells than this are not compared line by line: all lines go, all others come. */
const MAX_CELLS = 4_000_000;
/** Lines that are the same and stand beside one that is not. */
const CONTEXT = 2;

/** The lines to take out of `before`, and to put in, to get `after`. */
export function lineDiff(before: readonly string[], after: readonly string[]): DiffLine[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  ) {
    end += 1;
  }
  const same = (text: string): DiffLine => ({ sign: ' ', text });
  return [
    ...before.slice(0, start).map(same),
    ...middle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...before.slice(before.length - end).map(same),
  ];
}

/** The lines that differ and those around them; `undefined` stands where lines were left out. */
export function withContext(lines: readonly DiffLine[]): (DiffLine | undefined)[] {
  const shown = new Set<number>();
  for (const [at, { sign }] of lines.entries()) {
    if (sign === ' ') continue;
    for (let near = at - CONTEXT; near <= at + CONTEXT; near += 1) shown.add(near);
  }
  const found: (DiffLine | undefined)[] = [];
  for (const [at, line] of lines.entries()) {
    if (shown.has(at)) found.push(line);
    else if (found.length > 0 && found.at(-1) !== undefined) found.push(undefined);
  }
  if (found.at(-1) === undefined) found.pop();
  return found;
}

function middle(before: readonly string[], after: readonly string[]): DiffLine[] {
  const removed = (text: string): DiffLine => ({ sign: '-', text });
  const added = (text: string): DiffLine => ({ sign: '+', text });
  if (before.length * after.length > MAX_CELLS) return [...before.map(removed), ...after.map(added)];
  const table = commonLengths(before, after);
  const width = after.length + 1;
  const lines: DiffLine[] = [];
  let left = 0;
  let right = 0;
  while (left < before.length || right < after.length) {
    const [old = '', next = ''] = [before[left], after[right]];
    if (left < before.length && right < after.length && old === next) {
      lines.push({ sign: ' ', text: old });
      left += 1;
      right += 1;
    } else if (
      right >= after.length ||
      (left < before.length &&
        (table[(left + 1) * width + right] ?? 0) >= (table[left * width + right + 1] ?? 0))
    ) {
      lines.push(removed(old));
      left += 1;
    } else {
      lines.push(added(next));
      right += 1;
    }
  }
  return lines;
}

/** How many lines the rests of both, from each place on, have in common. */
function commonLengths(before: readonly string[], after: readonly string[]): Uint32Array {
  const width = after.length + 1;
  const table = new Uint32Array((before.length + 1) * width);
  for (let left = before.length - 1; left >= 0; left -= 1) {
    for (let right = after.length - 1; right >= 0; right -= 1) {
      table[left * width + right] =
        before[left] === after[right]
          ? (table[(left + 1) * width + right + 1] ?? 0) + 1
          : Math.max(table[(left + 1) * width + right] ?? 0, table[left * width + right + 1] ?? 0);
    }
  }
  return table;
}
