import type { JSX } from 'preact';
import type { Refused } from '../wire/api.js';
import { plainText } from './plain-text.js';

/** A request that was refused: why, and the next step. */
export function Problem({ refused }: { readonly refused: Refused }): JSX.Element {
  return (
    <p role="alert" class="problem">
      <span class="mark" data-meaning="failed">
        <i aria-hidden="true">!</i>
        {plainText(refused.message)}
      </span>
      {refused.help === '' ? null : <span class="quiet"> {plainText(refused.help)}</span>}
    </p>
  );
}
