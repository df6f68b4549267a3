/** Text that only run time knows. A word of a command that has one is known in part, or not at all. */
export const HOLE = '\uE000';
/** An unquoted `*` of a command: any characters of a name. */
export const STAR = '\uE001';
/** An unquoted `?` or `[…]` of a command: one character of a name. */
export const ONE = '\uE002';
/** The name of a file that a process substitution stands for. */
export const PIPE = '\uE004';
/** The place of a here-document that was cut out. */
export const CUT = '\uE010';

const MARKS = /[\uE000-\uE010]/;

/** Whether a text has a character that stands for something here: no honest command has one. */
export function hasMark(text: string): boolean {
  return MARKS.test(text);
}

/** Whether a word is wholly unknown. */
export function isUnknown(word: string): boolean {
  return word !== '' && /^[\uE000\s]+$/.test(word);
}

/** A word as a person reads it. */
export function shown(word: string): string {
  return word.replaceAll(HOLE, '…').replaceAll(STAR, '*').replaceAll(ONE, '?').replaceAll(PIPE, '…');
}
