import { HOLE, isUnknown, ONE, PIPE, STAR } from './marks.js';

/** A word for a text that is read again. */
export function quoted(word: string): string {
  return /^[\w./~-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** A text as it can be parsed again: marks become what stands for them in a shell. */
export function reparsed(text: string): string {
  return text
    .replaceAll(STAR, '*')
    .replaceAll(ONE, '?')
    .replaceAll(PIPE, '"$__unknown"')
    .replaceAll(HOLE, '"$__unknown"');
}

/** Whether a text is code that only run time knows. */
export function isOpaque(text: string): boolean {
  return isUnknown(text) || text.includes(PIPE);
}
