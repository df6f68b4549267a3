// The rules of comments: lines of 110 columns at most, and no sentence that begins with a relative clause.

/**
 * @typedef {{ type: string, value: string, start: number, end: number }} Comment
 * @typedef {{ offset: number, message: string }} Finding
 */

export const WIDTH = 110;

/** Comments for programs, which stay on their line. */
const DIRECTIVE = /^\W*(?:oxlint-|eslint-|@ts-|bin\/sh )/;
const BEGINS = /(?:^|[.!?][)"'”’`]*\s+|\n\s*\n\s*|\n\s*(?:[-*]|\d+\.|@\w+)\s+|^@\w+\s+)(What|Whoever|Who)\b/g;

/**
 * The lines with a comment on them that are wider than 110 columns. A line without a place to break is left
 * alone.
 * @param {string} text @param {readonly Comment[]} comments @returns {Finding[]}
 */
export function tooWide(text, comments) {
  const findings = [];
  for (const comment of comments) {
    const { start, end } = comment;
    let from = text.lastIndexOf('\n', start - 1) + 1;
    while (from < end) {
      const newline = text.indexOf('\n', from);
      const to = newline < 0 ? text.length : newline;
      const line = text.slice(from, to).trimEnd();
      const said = text
        .slice(Math.max(from, start), Math.min(to, end))
        .replace(/^\s*(?:\/\*\*?|\/\/|\*)?\s*/, '');
      if (line.length > WIDTH && said.includes(' ') && !DIRECTIVE.test(said)) {
        const message = `a line with a comment has ${WIDTH} columns at most: wrap it`;
        findings.push({ offset: Math.max(from, start), message });
      }
      from = to + 1;
    }
  }
  return findings;
}

/**
 * The sentences of comments that begin with What, Who or Whoever. Line comments that follow each other are
 * one text.
 * @param {string} text @param {readonly Comment[]} comments @returns {Finding[]}
 */
export function relativeBeginnings(text, comments) {
  return groups(text, comments).flatMap((group) => {
    const first = group[0];
    if (first === undefined) return [];
    const said = group
      .map((one) => bare(one.value))
      .join('\n')
      .trimStart();
    return [...said.matchAll(BEGINS)].map(([, word]) => ({
      offset: first.start,
      message: `a sentence of a comment begins with \`${word}\`: put its subject first`,
    }));
  });
}

/** @param {string} value @returns {string} */
function bare(value) {
  return value.replace(/^\*/, '').replaceAll(/\n[ \t]*\*?/g, '\n');
}

/** @param {string} text @param {readonly Comment[]} comments @returns {Comment[][]} */
function groups(text, comments) {
  /** @type {Comment[][]} */
  const found = [];
  for (const comment of comments) {
    const group = found.at(-1);
    const last = group?.at(-1);
    const follows =
      comment.type === 'Line' && last?.type === 'Line' && text.slice(last.end, comment.start).trim() === '';
    if (follows && group !== undefined) group.push(comment);
    else found.push([comment]);
  }
  return found;
}
