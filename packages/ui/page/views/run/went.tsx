import type { JSX } from 'preact';
import { API, type RunPlaces } from '../../../src/protocol/index.js';
import { termText } from '../../filter/terms.js';
import { countText, plural, sizeText } from '../../parts/figures.js';
import { PlaceLink } from '../../parts/place-link.js';
import { plainText } from '../../parts/plain-text.js';
import { NotYet } from '../../parts/not-yet.js';
import type { Page } from '../../state/page.js';
import { useAnswer } from '../../state/use-answer.js';

/** Neither connections nor names. */
const NOWHERE = '0 0 0';

/** Where a run went, each place a way to its connections. `net`: asked for again if it is another one. */
export function Went({
  page,
  run,
  net,
}: {
  readonly page: Page;
  readonly run: string;
  readonly net: string;
}): JSX.Element | null {
  const answer = useAnswer(
    () => page.api.get<RunPlaces>(`${API.places}/${encodeURIComponent(run)}`),
    [run, net],
  );
  const { problem, value } = answer;
  if (problem !== null) return <NotYet answer={answer} />;
  // It stands where the answer will: nothing moves under a pointer.
  if (value === null) return net === NOWHERE ? null : <p class="went quiet">Reading where it went</p>;
  if (value.places.length === 0 && value.is_whole) return null;
  const { places, more, is_whole: isWhole } = value;
  const refused = places.filter((place) => place.refused > 0).length;
  return (
    <details class="went">
      <summary>
        Where it went: {plural(places.length + more, 'place')}
        {refused === 0 ? '' : `, ${countText(refused)} refused`}
      </summary>
      <ul>
        {places.map((place) => (
          <li key={`${place.host} ${place.port ?? ''}`}>
            <PlaceLink page={page} look="data" to={{ view: 'live', filter: filterOf(run, place.host) }}>
              {nameOf(place)}
            </PlaceLink>
            <Counts place={place} />
          </li>
        ))}
      </ul>
      {more === 0 ? null : <p class="quiet">and {plural(more, 'place')} more</p>}
      {isWhole ? null : <p class="quiet">There are older connections that were not counted.</p>}
    </details>
  );
}

type RunPlace = RunPlaces['places'][number];

function Counts({ place: { passed, refused, up, down } }: { readonly place: RunPlace }): JSX.Element {
  const bytes = [
    up === null ? '' : `${sizeText(up)} up`,
    down === null ? '' : `${sizeText(down)} down`,
  ].filter((one) => one !== '');
  return (
    <>
      {passed === 0 ? null : <span>{countText(passed)} allowed</span>}
      {refused === 0 ? null : (
        <span class="mark" data-meaning="refused">
          <i aria-hidden="true">✕</i>
          {countText(refused)} refused
        </span>
      )}
      <span class="data quiet">{bytes.join(', ')}</span>
    </>
  );
}

/** A name that was refused has no port. */
function nameOf({ host, port }: RunPlace): string {
  const name = plainText(host, 200);
  if (port === null) return `${name} (name)`;
  return `${host.includes(':') && !host.startsWith('[') ? `[${name}]` : name}:${port}`;
}

/** The connections of the run to that host, whatever signs of a pattern it has. */
function filterOf(run: string, host: string): string {
  const exact = host.replaceAll(/[*?[\]{}\\]/g, String.raw`\$&`);
  return `${termText('run', run)} ${termText('kind', 'net')} ${termText('host', exact)}`;
}
