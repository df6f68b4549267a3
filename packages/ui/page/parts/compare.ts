import { diffArrays, diffLines } from 'diff';

/** A part of two texts: the same in both, or only in one of them. */
export interface Part {
  readonly is: 'same' | 'added' | 'removed';
  readonly text: string;
}

/** The difference of two texts. All that differs is in its parts; null where it is too much to be shown. */
export interface Difference {
  readonly by: 'words' | 'lines';
  readonly parts: readonly Part[];
}

/** Texts up to so many characters together are compared word by word. */
const MOST_BY_WORDS = 60_000;
/** So many characters of what differs are shown; the same as a screen of some hundred pages. */
const MOST_CHANGED = 400_000;
const PATIENCE_MS = 1000;
/** A word, blanks or any other sign: together they are the whole text. */
const WORD = /[\p{L}\p{M}\p{N}_]+|\s+|./gsu;

/** Compares two texts in full, before anything of them is cut. */
export function differenceOf(before: string, after: string, by: Difference['by']): Difference | null {
  const isLong = before.length + after.length > MOST_BY_WORDS;
  const words =
    by === 'lines' || isLong
      ? undefined
      : diffArrays(wordsOf(before), wordsOf(after), { maxEditLength: 2000, timeout: PATIENCE_MS })?.map(
          ({ value, ...change }) => ({ ...change, value: value.join('') }),
        );
  const changes = words ?? diffLines(before, after, { maxEditLength: 4000, timeout: PATIENCE_MS });
  // Texts that have too little in common stand one below the other, both in full.
  const parts: readonly Part[] =
    changes === undefined
      ? [
          { is: 'removed', text: before },
          { is: 'added', text: after },
        ]
      : changes.map(({ added, removed, value }) => ({
          is: added ? 'added' : removed ? 'removed' : 'same',
          text: value,
        }));
  const changed = parts.reduce((sum, { is, text }) => sum + (is === 'same' ? 0 : text.length), 0);
  return changed > MOST_CHANGED ? null : { by: words === undefined ? 'lines' : 'words', parts };
}

function wordsOf(text: string): string[] {
  return text.match(WORD) ?? [];
}
