import type { JSX } from 'preact';
import { countText } from './figures.js';
import { plainText } from './plain-text.js';

/** Blanks at one place; of more their number is told. */
export const MANY_BLANKS = /( {17,})/;

/** One line, all of it: many blanks at one place are counted, in marks that no file can write. */
export function LineText({ line }: { readonly line: string }): JSX.Element {
  return (
    <>
      {line
        .split(MANY_BLANKS)
        .map((piece) =>
          MANY_BLANKS.test(piece) ? (
            <em>{countText(piece.length)} blanks</em>
          ) : (
            plainText(piece, piece.length)
          ),
        )}
    </>
  );
}
