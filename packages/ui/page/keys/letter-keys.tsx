import type { JSX } from 'preact';
import type { Keys } from './keys.js';

/** The switch of the keys that are a letter alone: a person who speaks to type has none of them. */
export function LetterKeys({ keys }: { readonly keys: Keys }): JSX.Element {
  return (
    <label>
      <input
        type="checkbox"
        checked={keys.letters.value}
        onChange={(event) => keys.setLetters(event.currentTarget.checked)}
      />{' '}
      Letters alone act as keys (turn off if you dictate)
    </label>
  );
}
