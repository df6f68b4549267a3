import type { LineEdit } from '../../files/line-edits.js';

/** Lines that are the same and stand beside one that is not. */
const CONTEXT = 2;

/** The lines that differ and those around them; `undefined` stands where lines were left out. */
export function withContext(lines: readonly LineEdit[]): (LineEdit | undefined)[] {
  const shown = new Set<number>();
  for (const [at, { sign }] of lines.entries()) {
    if (sign === ' ') continue;
    for (let near = at - CONTEXT; near <= at + CONTEXT; near += 1) shown.add(near);
  }
  const found: (LineEdit | undefined)[] = [];
  for (const [at, line] of lines.entries()) {
    if (shown.has(at)) found.push(line);
    else if (found.length > 0 && found.at(-1) !== undefined) found.push(undefined);
  }
  if (found.at(-1) === undefined) found.pop();
  return found;
}
