import type { JSX } from 'preact';
import { endMark, markOf, type Mark } from './words.js';

/** A glyph and its word, in the colour of their meaning. */
export function MarkOf({ mark }: { readonly mark: Mark }): JSX.Element {
  return (
    <span class="mark" data-meaning={mark.meaning}>
      <i aria-hidden="true">{mark.glyph}</i>
      {mark.word}
    </span>
  );
}

/** The same as an element of a row that is used again: `paint` shows another one in it. */
export function markElement(): { readonly element: HTMLElement; paint(mark: Mark): void } {
  const [element, glyph] = [document.createElement('span'), document.createElement('i')];
  const word = document.createTextNode('');
  element.className = 'mark';
  glyph.setAttribute('aria-hidden', 'true');
  element.append(glyph, word);
  return {
    element,
    paint(mark) {
      element.dataset['meaning'] = mark.meaning;
      glyph.textContent = mark.glyph;
      word.data = mark.word;
    },
  };
}

/** A question that is over waits no more, though the call that asked was not made: another one may pass. */
const ANSWERS: Readonly<Record<'closed' | 'no' | 'yes', Mark>> = {
  yes: { meaning: 'allow', glyph: '✓', word: 'approved' },
  no: { meaning: 'refused', glyph: '✕', word: 'denied' },
  closed: { meaning: 'plain', glyph: '–', word: 'lapsed' },
};

/** The mark of a record: its decision, or how it ended where it was let through and failed. */
export function rowMark(row: {
  readonly decision: string | null;
  readonly answer: 'closed' | 'no' | 'yes' | null;
  readonly status: string | null;
  readonly refused: boolean;
}): Mark {
  if (row.answer !== null) return ANSWERS[row.answer];
  if (row.refused || (row.decision !== null && row.decision !== 'ALLOW'))
    return markOf(row.decision ?? row.status);
  return endMark(row.status) ?? markOf(row.decision ?? row.status);
}
