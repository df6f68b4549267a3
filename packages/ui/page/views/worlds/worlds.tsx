import type { JSX } from 'preact';
import { API, type LayerRow, type Signs, type Worlds } from '../../../src/protocol/index.js';
import { useKeys } from '../../keys/use-keys.js';
import { Command } from '../../parts/command.js';
import { countText, plural, sizeText, spanText } from '../../parts/figures.js';
import { PlaceLink } from '../../parts/place-link.js';
import { plainText } from '../../parts/plain-text.js';
import { Problem } from '../../parts/problem.js';
import type { Page } from '../../state/page.js';
import { useAnswer } from '../../state/use-answer.js';

/** The layers that hold what worlds have changed, and what is in no project yet. */
export function WorldsView({ page }: { readonly page: Page }): JSX.Element {
  const { again, value, problem, isAsking } = useAnswer(() => page.api.get<Worlds>(API.worlds), []);
  const focus = (by: number): void => {
    const links = [...document.querySelectorAll<HTMLElement>('a.layer')];
    const at = links.findIndex((link) => link === document.activeElement);
    links[Math.max(0, Math.min(links.length - 1, at < 0 ? 0 : at + by))]?.focus();
  };
  useKeys(
    page.keys,
    [
      { keys: ['j', 'ArrowDown'], says: 'next layer', isCommon: true, run: () => focus(1) },
      { keys: ['k', 'ArrowUp'], says: 'layer before', isCommon: true, run: () => focus(-1) },
      { keys: ['r'], says: 'look again', isCommon: true, run: again },
      { keys: ['Escape'], says: 'back', run: () => page.places.back() },
    ],
    [],
  );
  return (
    <div class="page">
      <header class="actions">
        <h1>{titleOf(value)}</h1>
        {problem === null ? (
          <button type="button" disabled={isAsking} onClick={again}>
            {isAsking ? 'Looking' : 'Look again'}
          </button>
        ) : null}
      </header>
      {problem === null ? null : <Problem refused={problem} again={again} isAsking={isAsking} />}
      {value === null || value.layers.length === 0 ? null : (
        <p class="quiet">
          None of this is in its folder yet: open a layer to take it over, or to throw it away.
        </p>
      )}
      {value === null || value.layers.length === 0 ? null : (
        <ul class="layers">
          {value.layers.toReversed().map((row) => (
            <li key={row.layer}>
              <LayerLink page={page} row={row} />
            </li>
          ))}
        </ul>
      )}
      {value !== null && value.more > 0 ? (
        <p class="quiet">{plural(value.more, 'older layer')} more: `sub world status` lists all.</p>
      ) : null}
      {value !== null && value.layers.length === 0 ? (
        <section>
          {value.ever ? null : <p>No run was in a world, so no writes were kept apart.</p>}
          <p class="quiet">
            A command in a world writes into a layer over its folder, and not into the folder itself. What it
            changed stands here until you take it over, or throw it away.
          </p>
          <Command text={page.command('sub world exec -- npm install')} copy={page.copy} />
        </section>
      ) : null}
    </div>
  );
}

function titleOf(value: Worlds | null): string {
  if (value === null) return 'Worlds';
  const count = value.layers.length + value.more;
  return count === 0
    ? 'No world has changed anything'
    : `${plural(count, 'layer holds', 'layers hold')} changes`;
}

function LayerLink({ page, row }: { readonly page: Page; readonly row: LayerRow }): JSX.Element {
  return (
    <PlaceLink page={page} look="layer" to={{ view: 'world', id: row.layer }}>
      <strong class="data">{plainText(row.folder, 400)}</strong>
      <SignsOf signs={row} />
      <span class="quiet">
        begun {spanText(Math.max(0, page.now() - row.since))} ago, {sizeText(row.bytes)}
        {row.in_world ? ', its world runs' : ''}
      </span>
      <span class="data quiet">{plainText(row.label, 120)}</span>
      {row.run === '' ? null : <span class="quiet">run {page.agents.named(row.run)}</span>}
    </PlaceLink>
  );
}

/** `+3 ~1 -2`, and the same in words for whoever hears it. */
export function SignsOf({ signs }: { readonly signs: Signs }): JSX.Element {
  const { added, modified, deleted, truncated } = signs;
  const all = [
    ['+', added, 'added'],
    ['~', modified, 'changed'],
    ['-', deleted, 'deleted'],
  ] as const;
  const some = all.filter(([, count]) => count > 0);
  return (
    <span class="data">
      <span aria-hidden="true">{some.map(([sign, count]) => `${sign}${countText(count)}`).join(' ')}</span>
      <span class="unseen">{some.map(([, count, word]) => `${countText(count)} ${word}`).join(', ')}</span>
      {truncated ? ' or more' : ''}
    </span>
  );
}
