import { withoutCode } from '../pages.js';

/** A heading, and a paragraph, bullet or row of a table below it. */
export interface Passage {
  /** The headings that it stands below, from the one behind the title on. */
  readonly section: readonly string[];
  /** Its words on one line, without the mark of a bullet or the frame of a row. */
  readonly text: string;
}

/** The paragraphs, bullets and rows of a page, without blocks of code and heads of tables. */
export function passagesOf(page: string): readonly Passage[] {
  const found: { readonly section: readonly string[]; text: string }[] = [];
  let section: string[] = [];
  let goesOn = false;
  for (const line of withoutCode(page)
    .replaceAll(/^\|.*\n\|[-|]+\n/gm, '')
    .split('\n')) {
    const [, marks, heading] = /^(#+) (.+)$/.exec(line) ?? [];
    const [, begun] = /^\s*(?:- |\| )(.*?)(?: \|)?$/.exec(line) ?? [];
    if (marks !== undefined && heading !== undefined) {
      section = marks.length === 1 ? [] : [...section.slice(0, marks.length - 2), heading];
      goesOn = false;
    } else if (line.trim() === '') {
      goesOn = false;
    } else if (begun !== undefined || !goesOn) {
      found.push({ section, text: begun ?? line.trim() });
      goesOn = true;
    } else {
      const last = found.at(-1);
      if (last !== undefined) last.text += ` ${line.trim()}`;
    }
  }
  return found;
}
