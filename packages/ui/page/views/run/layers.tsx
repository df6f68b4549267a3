import type { JSX } from 'preact';
import { API, type Worlds } from '../../../src/protocol/index.js';
import { PlaceLink } from '../../parts/place-link.js';
import { plainText } from '../../parts/plain-text.js';
import type { Page } from '../../state/page.js';
import { useAnswer } from '../../state/use-answer.js';

/** The layers whose world a run has, or had last: each a way to its changes. Nothing where there is none. */
export function Layers({
  page,
  run,
  isOver,
}: {
  readonly page: Page;
  readonly run: string;
  /** Asked for again: a world that has ended may have left changes. */
  readonly isOver: boolean;
}): JSX.Element | null {
  const { value } = useAnswer(() => page.api.get<Worlds>(API.worlds), [run, isOver]);
  const layers = (value?.layers ?? []).filter((layer) => layer.run === run);
  if (layers.length === 0) return null;
  return (
    <span>
      Changes in{' '}
      {layers.map(({ layer, folder }) => (
        <>
          <PlaceLink page={page} look="" to={{ view: 'world', id: layer }}>
            layer <span class="data">{layer}</span> over <span class="data">{plainText(folder, 200)}</span>
          </PlaceLink>{' '}
        </>
      ))}
    </span>
  );
}
