import type { JSX } from 'preact';
import type { Page } from '../state/page.js';
import { plainText } from '../parts/plain-text.js';
import { PlaceLink } from '../parts/place-link.js';
import { useAct } from '../parts/use-act.js';

/**
 * The notices above every view, the gravest first: a record that does not fit, a gateway that was stopped,
 * another ledger, no connection, a policy that did not load.
 */
export function Notices({ page }: { readonly page: Page }): JSX.Element {
  return (
    <div class="notices">
      <Tampered page={page} />
      <Stopped page={page} />
      <Other page={page} />
      <Lost page={page} />
      <ReadOnly page={page} />
      <PolicyProblem page={page} />
    </div>
  );
}

function Tampered({ page }: { readonly page: Page }): JSX.Element | null {
  const finding = page.watch.finding.value;
  if (finding === null) return null;
  const where = finding.seq === null ? 'The record does not fit' : `Entry ${finding.seq} does not fit`;
  return (
    <div class="notice" data-meaning="refused" role="alert">
      <span>
        ✕ {where}: {plainText(finding.why)}. Found {page.clock.value.full(finding.at)}.
      </span>
      <span>
        Keep a copy of the home before anything else, then run <code>sub audit verify</code>
      </span>
      {page.places.now.value.view === 'health' ? null : (
        <PlaceLink page={page} look="button" to={{ view: 'health' }}>
          Health
        </PlaceLink>
      )}
    </div>
  );
}

function Stopped({ page }: { readonly page: Page }): JSX.Element | null {
  const stopped = page.state.value?.panicked ?? null;
  if (stopped === null) return null;
  return (
    <div class="notice" data-meaning="refused" role="status">
      <span>
        ■ Everything is stopped since {page.clock.value.full(stopped.since)}
        {stopped.reason === '' ? '' : `: ${plainText(stopped.reason)}`}
      </span>
      <Resume page={page} />
    </div>
  );
}

const RESUME = 'Let calls pass again';

/** Lets calls pass again: at once where the page is unlocked, else after the digits of a terminal. */
function Resume({ page }: { readonly page: Page }): JSX.Element {
  const { ask, lock, problem } = useAct(page);
  if (lock !== null) return lock;
  return (
    <>
      <button type="button" onClick={() => ask({ act: 'resume' }, RESUME, () => undefined)}>
        {RESUME}
      </button>
      {problem}
    </>
  );
}

function ReadOnly({ page }: { readonly page: Page }): JSX.Element | null {
  if (page.state.value?.access !== 'read') return null;
  return (
    <div class="notice" role="status">
      <strong>This page reads only.</strong>
      <span>It cannot be told which process asks, as through ssh. A terminal answers.</span>
    </div>
  );
}

function Other({ page }: { readonly page: Page }): JSX.Element | null {
  if (!page.feed.isOther.value) return null;
  return (
    <div class="notice" role="alert">
      <strong>Another ledger answers here now.</strong>
      <span>What this page shows is of the one before.</span>
      <button type="button" onClick={() => window.location.reload()}>
        Load the new one
      </button>
    </div>
  );
}

function Lost({ page }: { readonly page: Page }): JSX.Element | null {
  const since = page.feed.lostSince.value;
  if (since === null) return null;
  return (
    <div class="notice" role="status">
      <strong>No connection to the gateway since {page.clock.value.time(since)}.</strong>
      <span>
        What is shown stays. This page tries again by itself; <code>sub status</code> says whether a gateway
        runs.
      </span>
    </div>
  );
}

function PolicyProblem({ page }: { readonly page: Page }): JSX.Element | null {
  const problem = page.state.value?.policy.problem ?? null;
  if (problem === null) return null;
  return (
    <div class="notice" data-meaning="waits" role="status">
      <span>
        <strong>The policy file is not in force</strong>, and the one before decides: {plainText(problem)}
      </span>
      <PlaceLink page={page} look="button" to={{ view: 'policy' }}>
        Policy
      </PlaceLink>
    </div>
  );
}
