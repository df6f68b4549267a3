import type { JSX } from 'preact';
import type { Refused } from '../wire/api.js';
import { plainText } from './plain-text.js';

/** A request that was refused: why, and the next step; with `again` a button that asks once more. */
export function Problem({
  refused,
  again,
  isAsking = false,
}: {
  readonly refused: Refused;
  readonly again?: () => void;
  readonly isAsking?: boolean;
}): JSX.Element {
  return (
    <>
      <p role="alert" class="problem">
        <span class="mark" data-meaning="failed">
          <i aria-hidden="true">!</i>
          {plainText(refused.message)}
        </span>
        {refused.help === '' ? null : <span class="quiet"> {plainText(refused.help)}</span>}
      </p>
      {again === undefined ? null : (
        <p class="actions">
          <button type="button" disabled={isAsking} onClick={again}>
            Retry
          </button>
        </p>
      )}
    </>
  );
}
