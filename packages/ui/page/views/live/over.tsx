import type { JSX } from 'preact';
import { Command } from '../../parts/command.js';
import { plural } from '../../parts/figures.js';
import { Problem } from '../../parts/problem.js';
import type { Page } from '../../state/page.js';
import type { Replay } from './replay.js';

/** The layer over the list: it is empty, loading, away from the end, or playing. */
export function Over({
  page,
  replay,
  toEnd,
}: {
  readonly page: Page;
  readonly replay: Replay;
  readonly toEnd: () => void;
}): JSX.Element | null {
  const { feed } = page;
  void feed.version.value;
  const { rows, refused } = feed.unseen.value;
  if (replay.shown.value !== null)
    return (
      <button type="button" class="pill" onClick={() => replay.stop()}>
        Replay {replay.speed.value}×{replay.isPaused.value ? ', paused' : ''} · end it
      </button>
    );
  const isEmpty = feed.rows.all.length === 0;
  if (feed.problem.value !== null)
    return (
      <div class={isEmpty ? 'empty over' : 'notice over'}>
        <Problem refused={feed.problem.value} />
        <p class="actions">
          <button type="button" onClick={() => feed.retry()}>
            Retry
          </button>
        </p>
      </div>
    );
  const busy = feed.isLoading.value ? <div class="busy" role="progressbar" aria-label="Loading" /> : null;
  if (isEmpty) return busy !== null && feed.reached.value === null ? busy : <Empty page={page} />;
  return (
    <>
      {busy}
      <Searched page={page} />
      {feed.follows.value ? null : (
        <button type="button" class="pill" onClick={toEnd}>
          {rows === 0
            ? 'Paused'
            : `${plural(rows, 'new one', 'new')}${refused === 0 ? '' : `, ${refused} refused`}`}
          {' · follow'}
        </button>
      )}
    </>
  );
}

/** How far back a long search came, and the way to end it or to go on. */
function Searched({ page }: { readonly page: Page }): JSX.Element | null {
  const { clock, feed } = page;
  const reached = feed.reached.value;
  if (reached === null) return null;
  const isLoading = feed.isLoading.value;
  return (
    <div class="notice">
      Searched back to {clock.value.full(reached)}
      <button type="button" onClick={() => (isLoading ? feed.stop() : void feed.readOlder())}>
        {isLoading ? 'Stop' : 'Go on'}
      </button>
    </div>
  );
}

function Empty({ page }: { readonly page: Page }): JSX.Element {
  const isWhole = page.feed.isWhole.value;
  if (page.places.now.value.filter !== '')
    return (
      <div class="empty over">
        <h1>{isWhole ? 'Nothing fits this filter' : 'Nothing so far'}</h1>
        <Searched page={page} />
        <p class="actions">
          <button type="button" onClick={() => page.places.amend({ filter: '' })}>
            Clear the filter
          </button>
        </p>
      </div>
    );
  return (
    <div class="empty over">
      <h1>No call has been made yet</h1>
      <p>Bring your clients behind the gateway, start an agent, and each of its calls stands here.</p>
      <Command text={page.command('sub import')} copy={page.copy} />
      <Command text={page.command('sub run -- claude')} copy={page.copy} />
    </div>
  );
}
