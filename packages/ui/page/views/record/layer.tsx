import type { JSX } from 'preact';
import {
  listAt,
  numberAt,
  objectAt,
  type JsonObject,
  textAt,
  textsAt,
  valueAt,
} from '@subluminal/core-types/portable';
import { plural } from '../../parts/figures.js';
import { EntryLink, PlaceLink } from '../../parts/place-link.js';
import { plainText } from '../../parts/plain-text.js';
import type { Page } from '../../state/page.js';
import { shortRun } from '../../parts/names.js';

/** A person's decision on the changes of a world: which, in which folder, and how far it came. */
export function LayerFacts({
  page,
  layer,
}: {
  readonly page: Page;
  readonly layer: JsonObject;
}): JSX.Element {
  const diff = objectAt(layer, 'fs_diff');
  const count = (name: string): number => numberAt(diff, name) ?? 0;
  const [begun, done, risky] = [
    numberAt(layer, 'begun'),
    numberAt(layer, 'done'),
    numberAt(layer, 'risky_count'),
  ];
  const folder = textAt(layer, 'folder');
  const run = textAt(layer, 'run_id');
  const id = textAt(layer, 'layer_id');
  const paths = [...textsAt(diff, 'paths'), ...textsAt(layer, 'risky').map((path) => `! ${path}`)];
  return (
    <section>
      <h2>Changes of its world</h2>
      <dl class="facts">
        {folder === '' ? null : (
          <>
            <dt>Folder</dt>
            <dd class="data">{plainText(folder, 2000)}</dd>
          </>
        )}
        <dt>Changes</dt>
        <dd>
          {count('added')} added, {count('modified')} modified, {count('deleted')} deleted
          {valueAt(diff, 'truncated') === true ? ', and more' : ''}
          {risky === undefined || risky === 0 ? '' : `; a person is asked about ${risky}`}
        </dd>
        {begun === undefined ? null : (
          <>
            <dt>Begun by</dt>
            <dd>
              <EntryLink page={page} seq={begun} />
            </dd>
          </>
        )}
        <dt>Done</dt>
        <dd>
          {done === undefined ? 'it has no end yet, or nobody knows how far it came' : plural(done, 'change')}
        </dd>
        {listAt(layer, 'left').map((one) => (
          <>
            <dt>Left</dt>
            <dd>
              {numberAt(one, 'count') ?? 0}: {plainText(textAt(one, 'why').replaceAll('_', ' '), 60)}
            </dd>
          </>
        ))}
        <dt>Layer</dt>
        <dd class="data">
          {plainText(id, 40)}
          {run === '' ? '' : ` of run ${shortRun(run)}`}
        </dd>
      </dl>
      {id === '' ? null : (
        <p class="actions">
          <PlaceLink page={page} look="button" to={{ view: 'world', id }}>
            Look at the layer
          </PlaceLink>
        </p>
      )}
      {paths.length === 0 ? null : (
        <pre class="said" tabIndex={0}>
          {paths.map((path) => plainText(path, 600)).join('\n')}
        </pre>
      )}
    </section>
  );
}
