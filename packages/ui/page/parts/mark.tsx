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
