import type { JSX } from 'preact';
import { objectAt, textAt, textsAt, valueAt, type JsonObject } from '@subluminal/core-types/portable';
import { DiffView } from '../../parts/diff-view.js';
import { jsonText } from '../../parts/json-text.js';
import { plainText } from '../../parts/plain-text.js';
import { MOST_OTHER, type Compared } from './compared.js';

/** The difference of a held definition: each part that differs stands open, and whole. */
export function DefinitionView({
  facts,
  compared: { said, rest, other },
}: {
  readonly facts: JsonObject;
  readonly compared: Compared;
}): JSX.Element {
  const members = textsAt(facts, 'reason', 'members');
  const after = objectAt(facts, 'after');
  return (
    <>
      <p>
        {plainText(textAt(facts, 'reason', 'kind'), 60)}
        {members.length === 0 ? '' : `: ${members.map((member) => plainText(member, 40)).join(', ')}`}
      </p>
      {said === null ? null : (
        <>
          <p class="quiet">What it says of itself</p>
          <DiffView difference={said.difference} />
        </>
      )}
      {rest === null ? null : (
        <>
          <p class="quiet">The rest of its definition</p>
          <DiffView difference={rest.difference} />
        </>
      )}
      {other === '' ? null : (
        <>
          <p class="quiet">The definition that was approved of the other tool that it speaks of</p>
          <pre class="said" tabIndex={0}>
            {jsonText(valueAt(facts, 'other'), MOST_OTHER)}
          </pre>
        </>
      )}
      {Object.keys(after).length === 0 ? null : (
        <details>
          <summary>The whole new definition</summary>
          <pre class="said" tabIndex={0}>
            {jsonText(after)}
          </pre>
        </details>
      )}
    </>
  );
}
