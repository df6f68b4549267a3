import type { JSX } from 'preact';
import type { Act, LayerDone } from '../../../src/protocol/index.js';
import { countText } from '../../parts/figures.js';
import { EntryLink } from '../../parts/place-link.js';
import { pathText, plainText } from '../../parts/plain-text.js';
import type { Page } from '../../state/page.js';

/** A decision that was carried out, in one line and in full. */
export interface Ended {
  readonly act: Act['act'];
  readonly says: string;
  readonly done: LayerDone;
}

/** Its end: how many files, by which entry, and each one that stays with why. */
export function EndOf({
  page,
  ended,
  isGone,
}: {
  readonly page: Page;
  readonly ended: Ended;
  readonly isGone: boolean;
}): JSX.Element {
  const { says, done } = ended;
  const { entry, left, more } = done;
  return (
    <article class="card" data-done="">
      <p role="status">
        {says}
        {entry === null ? null : (
          <>
            {': '}
            <EntryLink page={page} seq={entry} />
          </>
        )}
      </p>
      {isGone ? <p class="quiet">The layer holds nothing more.</p> : null}
      {left.length === 0 ? null : (
        <ul class="cards">
          {left.map(({ path, what, help }) => (
            <li key={path}>
              <span class="data">{pathText(path, 1000)}</span> {plainText(what, 600)}{' '}
              <span class="quiet">{plainText(help, 600)}</span>
            </li>
          ))}
        </ul>
      )}
      {more === 0 ? null : <p class="quiet">and {countText(more)} more</p>}
    </article>
  );
}
