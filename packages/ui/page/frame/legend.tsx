import type { JSX } from 'preact';
import { MarkOf } from '../parts/mark.js';
import { markOf } from '../parts/words.js';

/** One of each mark. */
const SHOWN = [
  'ALLOW',
  'BLOCK',
  'REJECT_WITH_HINT',
  'ASKED',
  'THROTTLE',
  'TERMINATE_RUN',
  'error',
  'pending',
];

const MEANINGS = [
  ['run', 'all that an agent does from the start of its client to its end'],
  ['layer', 'files that a world wrote: not in the project until you take them over'],
  ['hint', 'the words that an agent gets with a refusal: what to do instead'],
  ['hold', 'a tool that changed is refused until you take its new definition'],
] as const;

/** One of each mark, and words of the page that nobody knows from elsewhere. */
export function Legend(): JSX.Element {
  return (
    <>
      <h2>Marks and words</h2>
      <p class="actions">
        {SHOWN.map((code) => (
          <MarkOf key={code} mark={markOf(code)} />
        ))}
      </p>
      <dl class="facts">
        {MEANINGS.map(([word, means]) => (
          <>
            <dt>{word}</dt>
            <dd>{means}</dd>
          </>
        ))}
      </dl>
    </>
  );
}
