import type { JSX } from 'preact';
import type { Page } from '../state/page.js';
import { TABS, VIEWS } from '../state/views.js';
import { countText, plural } from '../parts/figures.js';
import { PlaceLink } from '../parts/place-link.js';
import { plainText } from '../parts/plain-text.js';

/** The views, and the strip that says how things stand on every one of them. */
export function Top({ page }: { readonly page: Page }): JSX.Element {
  const { view } = page.places.now.value;
  const state = page.state.value;
  const shown = VIEWS[view].under ?? view;
  const waiting = state?.waiting ?? 0;
  return (
    <header class="top">
      <nav class="tabs" aria-label="Views">
        {TABS.map((name) => (
          <PlaceLink key={name} page={page} look="" to={{ view: name }} current={name === shown}>
            {VIEWS[name].title}
            {name === 'inbox' && waiting > 0 ? (
              <span class="mark waits" data-meaning="waits">
                <i aria-hidden="true">?</i>
                {waiting}
                <span class="unseen"> wait for you</span>
              </span>
            ) : null}
          </PlaceLink>
        ))}
      </nav>
      <ul class="strip" aria-label="State">
        <li>
          <PlaceLink page={page} look="" to={{ view: 'health' }}>
            <Record page={page} />
          </PlaceLink>
        </li>
        {state === null ? null : (
          <>
            <li class="wide">
              <PlaceLink page={page} look="" to={{ view: 'policy' }}>
                policy <span class="data">{plainText(state.policy.id, 40)}</span>{' '}
                {plainText(state.policy.mode, 20)}
              </PlaceLink>
            </li>
            <li>
              <PlaceLink page={page} look="" to={{ view: 'runs' }}>
                {plural(state.runs_live, 'run')} live
              </PlaceLink>
            </li>
            <li class="wide">egress {plainText(state.egress, 20)}</li>
          </>
        )}
        <li>
          <Connected page={page} />
        </li>
      </ul>
    </header>
  );
}

/** The state of the record, as far as this page checked it. */
function Record({ page }: { readonly page: Page }): JSX.Element {
  const { finding, head, problem, walk } = page.watch;
  if (finding.value !== null)
    return (
      <span class="mark" data-meaning="refused">
        <i aria-hidden="true">✕</i>record does not fit
      </span>
    );
  if (problem.value !== null || head.value === null)
    return <span>{problem.value === null ? 'record: checking' : 'record: not checked'}</span>;
  const { walked } = page.watch;
  // No more is said to be whole than was walked: what came since is signed, and not hashed here yet.
  if (walked.value !== null) return <span>record intact to {countText(walked.value.size)}</span>;
  const size = countText(head.value.size);
  return (
    <span>
      record signed, {walk.value === null ? size : `${countText(walk.value.next - 1)} of ${size} hashed`}
    </span>
  );
}

function Connected({ page }: { readonly page: Page }): JSX.Element {
  const lost = page.feed.lostSince.value;
  return lost === null ? <span>connected</span> : <strong>not connected</strong>;
}
