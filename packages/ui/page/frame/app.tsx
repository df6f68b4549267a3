import { useEffect, useRef } from 'preact/hooks';
import type { JSX } from 'preact';
import { useKeys } from '../keys/use-keys.js';
import type { Agents } from '../state/agents.js';
import type { Page } from '../state/page.js';
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
export function App({ page, agents }: { readonly page: Page; readonly agents: Agents }): JSX.Element {
  const { view, id } = page.places.now.value;
  const main = useRef<HTMLElement>(null);
  const to = (name: typeof view) => () => page.places.go({ view: name });
  useKeys(
    page.keys,
    [
      { keys: ['g l'], says: 'to Live', run: to('live') },
      { keys: ['g r'], says: 'to Runs', run: to('runs') },
      { keys: ['g w'], says: 'to Worlds', run: to('worlds') },
      { keys: ['g i'], says: 'to Inbox', run: to('inbox') },
      { keys: ['g h'], says: 'to Hints', run: to('hints') },
      { keys: ['g p'], says: 'to Policy', run: to('policy') },
      { keys: ['g v'], says: 'to Health', run: to('health') },
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
    document.title = `${marks}${TITLES[view]} · Subluminal`;
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
        <Shown page={page} agents={agents} />
      </main>
      <Keyline page={page} />
      <Dialogs page={page} />
    </>
  );
}

const TITLES = {
  live: 'Live',
  record: 'Record',
  runs: 'Runs',
  run: 'Run',
  worlds: 'Worlds',
  world: 'World',
  inbox: 'Inbox',
  hints: 'Hints',
  policy: 'Policy',
  health: 'Health',
} as const;

function Shown({ page, agents }: { readonly page: Page; readonly agents: Agents }): JSX.Element {
  const { view, id } = page.places.now.value;
  switch (view) {
    case 'live':
      return <Live page={page} agents={agents} />;
    case 'record':
      return <RecordView page={page} />;
    case 'runs':
      return <Runs page={page} />;
    case 'run':
      return <Run key={id} page={page} />;
    case 'worlds':
      return <WorldsView page={page} />;
    case 'world':
      return <WorldView key={id} page={page} />;
    case 'inbox':
      return <InboxView page={page} />;
    case 'hints':
      return <HintsView page={page} />;
    case 'policy':
      return <PolicyPage page={page} />;
    case 'health':
      return <HealthView page={page} />;
  }
}
