import { useEffect, useRef } from 'preact/hooks';
import type { JSX } from 'preact';
import { useKeys } from '../keys/use-keys.js';
import { Unlocked } from '../parts/unlock.js';
import type { Page } from '../state/page.js';
import { TABS, VIEWS, type View } from '../state/views.js';
import { HealthView } from '../views/health/health.js';
import { HintsView } from '../views/hints/hints.js';
import { InboxView } from '../views/inbox/inbox.js';
import { Live } from '../views/live/live.js';
import { PolicyPage } from '../views/policy/policy.js';
import { RecordView } from '../views/record/record.js';
import { Run } from '../views/run/run.js';
import { Runs } from '../views/runs/runs.js';
import { WorldView } from '../views/worlds/world.js';
import { WorldsView } from '../views/worlds/worlds.js';
import { Dialogs } from './dialogs.js';
import { Keyline } from './keyline.js';
import { Notices } from './notices.js';
import { Top } from './top.js';

/** The page of a session: the frame, and the view that the address names. */
export function App({ page }: { readonly page: Page }): JSX.Element {
  const { view, id } = page.places.now.value;
  const Shown = SHOWN[view];
  const main = useRef<HTMLElement>(null);
  useKeys(
    page.keys,
    [
      ...TABS.map((name) => ({
        keys: [`g ${VIEWS[name].key}`],
        says: `to ${VIEWS[name].title}`,
        run: () => page.places.go({ view: name }),
      })),
      { keys: [':'], says: 'go to', isCommon: true, run: () => (page.dialog.value = { kind: 'goto' }) },
      { keys: ['?'], says: 'keys', isCommon: true, run: () => (page.dialog.value = { kind: 'keys' }) },
    ],
    [],
    'page',
  );
  const waiting = page.state.value?.waiting ?? 0;
  const isBroken = page.watch.finding.value !== null;
  useEffect(() => {
    // A tab among others shows the first few signs of it.
    const marks = `${isBroken ? '✕ ' : ''}${waiting > 0 ? `(${waiting}) ` : ''}`;
    document.title = `${marks}${VIEWS[view].title} · Subluminal`;
  }, [view, waiting, isBroken]);
  useEffect(() => {
    (main.current?.querySelector<HTMLElement>('[role=grid]') ?? main.current)?.focus({ preventScroll: true });
  }, [view, id]);
  const isStopped = (page.state.value?.panicked ?? null) !== null;
  useEffect(() => {
    const root = main.current?.parentElement;
    if (isStopped) root?.setAttribute('data-stopped', '');
    else root?.removeAttribute('data-stopped');
  }, [isStopped]);
  return (
    <>
      <Top page={page} />
      <Notices page={page} />
      <main ref={main} tabIndex={-1}>
        <Shown key={view === 'record' ? view : id} page={page} />
      </main>
      <Unlocked page={page} />
      <Keyline page={page} />
      <Dialogs page={page} />
    </>
  );
}

const SHOWN: Readonly<Record<View, (of: { readonly page: Page }) => JSX.Element | null>> = {
  live: Live,
  record: RecordView,
  runs: Runs,
  run: Run,
  worlds: WorldsView,
  world: WorldView,
  inbox: InboxView,
  hints: HintsView,
  policy: PolicyPage,
  health: HealthView,
};
