/**
 * Controls, formats, what is private, unassigned or half a pair, what a font may draw nothing for (the empty
 * braille pattern, blanks of Egyptian and Khitan, a note without a head), and every space but the plain one.
 */
const HIDDEN =
  /(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\uFFFC\u{13441}\u{13442}\u{16FE4}\u{1D159}]/gu;

/**
 * A foreign text with each character `written` out that cannot be seen, that passes for another one, or that
 * acts on its line: it could move a cursor, turn the direction of others, or spell a hidden text.
 */
export function writeHidden(text: string, written: (character: string) => string): string {
  return text.replace(HIDDEN, written);
}
