/**
 * The fault of a configuration's text, and its place. Lines and columns count from 1, columns in UTF-16
 * units.
 */
export class TextProblem extends Error {
  readonly line: number;
  readonly column: number;

  constructor(what: string, text: string, at: number) {
    const { line, column } = placeOf(text, at);
    super(`line ${line}, column ${column}: ${what}`);
    this.name = 'TextProblem';
    this.line = line;
    this.column = column;
  }
}

/** The line and column of an offset. A byte order mark takes no column. */
function placeOf(text: string, at: number): { readonly line: number; readonly column: number } {
  let line = 1;
  let start = text.startsWith('\ufeff') ? 1 : 0;
  for (let end = text.indexOf('\n'); end !== -1 && end < at; end = text.indexOf('\n', end + 1)) {
    line += 1;
    start = end + 1;
  }
  return { line, column: Math.max(1, at - start + 1) };
}
