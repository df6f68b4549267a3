/**
 * The characters that take two columns of a terminal (East Asian Wide and Fullwidth), beside those that are
 * pictures by default.
 */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18aff}\u{1aff0}-\u{1b2ff}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/u;
/** Marks that stand on the character before them. */
const NONE = /[\p{Mn}\p{Me}]/u;
const PLAIN = /^[ -~]*$/;

/** How many columns of a terminal an escaped text takes. */
export function columnsOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let columns = 0;
  for (const character of text) columns += columnsOfOne(character);
  return columns;
}

/** The longest beginning of a text that fits into so many columns. */
export function beginningIn(text: string, columns: number): string {
  if (PLAIN.test(text)) return text.slice(0, Math.max(0, columns));
  let left = columns;
  let kept = '';
  for (const character of text) {
    left -= columnsOfOne(character);
    if (left < 0) break;
    kept += character;
  }
  return kept;
}

/** The longest end of a text that fits into so many columns. */
export function endIn(text: string, columns: number): string {
  if (PLAIN.test(text)) return columns <= 0 ? '' : text.slice(-columns);
  const characters = Array.from(text);
  let left = columns;
  let at = characters.length;
  while (at > 0) {
    left -= columnsOfOne(characters[at - 1] ?? '');
    if (left < 0) break;
    at -= 1;
  }
  return characters.slice(at).join('');
}

/** A text with blanks behind it, up to so many columns. */
export function padded(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - columnsOf(text)));
}

function columnsOfOne(character: string): number {
  if (WIDE.test(character)) return 2;
  return NONE.test(character) ? 0 : 1;
}
