import type { JSX } from 'preact';
import { textAt } from '@subluminal/core-types/portable';
import { API, type Health } from '../../../src/protocol/index.js';
import { useKeys } from '../../keys/use-keys.js';
import { Command } from '../../parts/command.js';
import { countText, sizeText, spanText } from '../../parts/figures.js';
import { plainText } from '../../parts/plain-text.js';
import { NotYet } from '../../parts/not-yet.js';
import type { Page } from '../../state/page.js';
import { useAnswer } from '../../state/use-answer.js';
import { CoverageOf } from './coverage.js';
import { Integrity } from './integrity.js';
import { ThisPage } from './this-page.js';

/** Whether the record is whole, what proves it elsewhere, which guards are on, and how much room is left. */
export function HealthView({ page }: { readonly page: Page }): JSX.Element {
  const answer = useAnswer(() => page.api.get<Health>(API.health), [page.state.value?.policy.hash]);
  const { value } = answer;
  useKeys(
    page.keys,
    [
      { keys: ['v'], says: 'verify all of it', isCommon: true, run: () => void page.watch.checkAll() },
      { keys: ['Escape'], says: 'back', run: () => page.places.back() },
    ],
    [],
  );
  return (
    <div class="page">
      <h1>Health</h1>
      <Integrity page={page} health={value} />
      {value === null ? (
        <NotYet answer={answer} />
      ) : (
        <>
          <Elsewhere page={page} health={value} />
          <CoverageOf page={page} health={value} />
          <Guards health={value} />
          <Room health={value} />
        </>
      )}
      <ThisPage page={page} />
    </div>
  );
}

function Elsewhere({ page, health }: { readonly page: Page; readonly health: Health }): JSX.Element {
  const [newest] = health.anchors;
  return (
    <section>
      <h2>Proved elsewhere</h2>
      {newest === undefined ? (
        <>
          <p>
            Nothing outside of this computer knows this record. Who has the home could replace all of it. This
            puts its signed head into a file: keep that elsewhere.
          </p>
          <Command text={page.command('sub audit anchor --file ~/subluminal-heads')} copy={page.copy} />
        </>
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col">Where</th>
              <th scope="col" class="number">
                Entry
              </th>
            </tr>
          </thead>
          <tbody>
            {health.anchors.slice(0, 10).map(({ seq, ts, facts }) => (
              <tr key={seq}>
                <td class="data">
                  {page.clock.value.full(ts)} <span class="quiet">{spanText(page.now() - ts)} ago</span>
                </td>
                <td>
                  {plainText(textAt(facts, 'kind'), 40)}{' '}
                  <span class="data">{plainText(textAt(facts, 'target'), 200)}</span>
                </td>
                <td class="number data">{seq}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {health.missing.length === 0 ? null : (
        <p>
          <strong>Files of the ledger that are not there:</strong>{' '}
          <span class="data">{health.missing.map((name) => plainText(name, 120)).join(', ')}</span>
        </p>
      )}
    </section>
  );
}

function Guards({ health }: { readonly health: Health }): JSX.Element {
  return (
    <section>
      <h2>Guards</h2>
      <dl class="facts">
        {health.guards.map(({ name, says }) => (
          <>
            <dt>{plainText(name, 60)}</dt>
            <dd>{plainText(says)}</dd>
          </>
        ))}
      </dl>
    </section>
  );
}

function Room({ health }: { readonly health: Health }): JSX.Element {
  const { room } = health;
  return (
    <section>
      <h2>Room</h2>
      <dl class="facts">
        <dt>Budget</dt>
        <dd class="data">
          {sizeText(room.used)} of {sizeText(room.most)} used
          {room.budget === 'ok' ? '' : `: ${plainText(room.budget)}`}
        </dd>
        <dt>Queue</dt>
        <dd class="data">{countText(room.queue_depth)} waiting</dd>
        <dt>Previews</dt>
        <dd class="data">
          {countText(room.previews)} kept
          {room.expired_up_to === 0 ? '' : `, expired up to entry ${countText(room.expired_up_to)}`}
        </dd>
      </dl>
    </section>
  );
}
