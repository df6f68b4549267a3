import { useEffect, useRef, useState } from 'preact/hooks';
import type { ComponentChildren, JSX } from 'preact';
import {
  API,
  MOST_AGAIN,
  type RunRow,
  type RunTimeline,
  type TimelineItem,
} from '../../../src/protocol/index.js';
import { termText } from '../../filter/terms.js';
import { useKeys } from '../../keys/use-keys.js';
import { CopyButton } from '../../parts/command.js';
import { countText, plural, spanText } from '../../parts/figures.js';
import { listKeys } from '../../parts/list-keys.js';
import { PlaceLink } from '../../parts/place-link.js';
import { plainText } from '../../parts/plain-text.js';
import { Problem } from '../../parts/problem.js';
import { useList } from '../../parts/use-list.js';
import type { Page } from '../../state/page.js';
import { asRefused, type Refused } from '../../wire/api.js';
import { shortRun } from '../../parts/names.js';
import { RecordPane } from '../record/record.js';
import { Layers } from './layers.js';
import { LanesView } from './lanes-view.js';
import { makeItemRow } from './row.js';
import { Went } from './went.js';

const EVERY_MS = 1500;
/** Items that are held at most: 100 pages of the gateway's. */
const MOST_ITEMS = 100_000;

/** One run on one axis: what it did, what was answered, and what decided. */
export function Run({ page }: { readonly page: Page }): JSX.Element {
  const { id, open } = page.places.now.value;
  const held = useRef<Map<string, TimelineItem>>(new Map());
  const [items, setItems] = useState<readonly TimelineItem[]>([]);
  const [run, setRun] = useState<RunRow | null>(null);
  const [problem, setProblem] = useState<Refused | null>(null);
  const [isCut, setCut] = useState(false);
  const [selected, setSelected] = useState<number | null>(null);
  const { host, list } = useList<TimelineItem>(
    () => ({
      label: 'What the run did, oldest first',
      makeRow: makeItemRow(() => page.clock.value),
      opened: (item) => page.places.amend({ open: item.seq }),
      moved: (index) => {
        const item = current.current[index];
        setSelected(item?.seq ?? null);
        if (item !== undefined && page.places.now.value.open !== null) page.places.amend({ open: item.seq });
      },
      scrolled: () => undefined,
    }),
    (made) => made.show(current.current, current.current.length, false),
  );
  const current = useRef<readonly TimelineItem[]>([]);
  useEffect(() => {
    let isOver = false;
    let timer = 0;
    let after = 0;
    held.current = new Map();
    const read = async (): Promise<void> => {
      let answer: RunTimeline;
      let again = goesOn(current.current);
      do {
        answer = await page.api.get(`${API.run}/${encodeURIComponent(id)}`, {
          after,
          again: again.join(','),
        });
        if (isOver) return;
        again = [];
        after = answer.upto;
        if (answer.run !== null) setRun(answer.run);
        for (const item of answer.items) held.current.set(`${item.seq} ${item.kind}`, item);
      } while (answer.has_more && held.current.size <= MOST_ITEMS);
      const isFull = held.current.size > MOST_ITEMS;
      setCut(isFull);
      const all = withoutHints([...held.current.values()]).toSorted(
        (one, other) => one.from - other.from || one.seq - other.seq,
      );
      current.current = all;
      setItems(all);
      // A run whose deeds are not all held is not followed.
      if (answer.run?.ended === null && !isFull) timer = setTimeout(() => void begin(), EVERY_MS);
    };
    const begin = async (): Promise<void> => {
      // A tab that nobody sees asks for nothing.
      if (document.hidden && held.current.size > 0) {
        timer = setTimeout(() => void begin(), EVERY_MS);
        return;
      }
      try {
        await read();
        if (!isOver) setProblem(null);
      } catch (error) {
        if (isOver) return;
        setProblem(asRefused(error));
        timer = setTimeout(() => void begin(), EVERY_MS * 2);
      }
    };
    void begin();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [id]);
  useEffect(() => {
    // New deeds of a run that goes on stay in view for somebody who is at the end, and holds no row.
    const follows = run?.ended === null && selected === null && list.current?.isAtEnd === true;
    list.current?.show(items, items.length, follows);
    if (open !== null && selected === null) list.current?.select(items.findIndex(({ seq }) => seq === open));
  }, [items, page.clock.value]);
  useKeys(
    page.keys,
    [
      ...listKeys(
        () => list.current,
        () => list.current?.select(Number.MAX_SAFE_INTEGER),
      ),
      {
        keys: ['n'],
        says: 'next refused',
        isCommon: true,
        run: () => {
          const from = list.current?.selected ?? -1;
          const at = current.current.findIndex((item, index) => index > from && item.refused);
          if (at >= 0) list.current?.select(at);
        },
      },
      {
        keys: ['Escape'],
        says: 'back',
        isCommon: true,
        run: () => {
          if (page.places.now.value.open !== null) page.places.amend({ open: null });
          else page.places.go({ view: 'runs' });
        },
      },
    ],
    [id],
  );
  return (
    <div class="run">
      <div class="run-head">
        {run === null ? (
          <h1>
            Run <span class="data">{shortRun(id)}</span>
          </h1>
        ) : (
          <Head run={run} page={page} />
        )}
        {isCut ? <span class="quiet">Its first {countText(items.length)} deeds are shown</span> : null}
        {problem === null ? null : <Problem refused={problem} />}
        {run === null ? null : (
          <Went page={page} run={run.run} net={`${run.net} ${run.net_refused} ${run.names_refused}`} />
        )}
        {items.some(({ kind }) => kind === 'world') ? (
          <Layers page={page} run={id} isOver={run !== null && run.ended !== null} />
        ) : run === null || run.calls === run.refused ? null : (
          <span class="quiet">What its calls wrote is not known: none of them ran in a world</span>
        )}
      </div>
      <LanesView
        page={page}
        items={items}
        selected={selected}
        pick={(item) => list.current?.select(items.indexOf(item), 'middle')}
      />
      <div class="beside" data-open={open === null ? undefined : ''}>
        <div class="stack">
          <div class="list" id="run" ref={host} />
        </div>
        {open === null ? null : (
          <aside class="pane" aria-label={`Record ${open}`}>
            <RecordPane page={page} seq={open} close={() => page.places.amend({ open: null })} />
          </aside>
        )}
      </div>
    </div>
  );
}

/** The entries of what goes on, the newest ones. */
function goesOn(items: readonly TimelineItem[]): readonly number[] {
  return items
    .filter(({ to }) => to === null)
    .slice(-MOST_AGAIN)
    .map(({ seq }) => seq);
}

/** Without hints: each was given to a call, and that one's own item has its decision. */
function withoutHints(items: readonly TimelineItem[]): readonly TimelineItem[] {
  return items.filter(({ kind, label }) => kind !== 'policy' || !label.startsWith('hint issued'));
}

function Head({ run, page }: { readonly run: RunRow; readonly page: Page }): JSX.Element {
  return (
    <>
      <h1>
        {plainText(run.agent, 60) || 'Agent without a name'}{' '}
        <span class="data quiet">{shortRun(run.run)}</span>
      </h1>
      <span>{run.state === 'live' ? '● live' : plainText(run.state.toLowerCase(), 40)}</span>
      <span class="quiet">
        {page.clock.value.full(run.began)}, {spanText((run.ended ?? page.now()) - run.began)}
      </span>
      <Found page={page} filter={`${termText('run', run.run)} kind:call`}>
        {plural(run.calls, 'call')}
      </Found>
      <Found page={page} filter={`${termText('run', run.run)} kind:call is:refused`}>
        {run.refused} refused
      </Found>
      {run.asked === 0 ? null : <span>{run.asked} asked</span>}
      <span>{plural(run.errors, 'error')}</span>
      <Found page={page} filter={`${termText('run', run.run)} kind:net`}>
        {plural(run.net, 'connection')}
        {run.net_refused === 0 ? '' : `, ${run.net_refused} refused`}
        {run.names_refused === 0 ? '' : `, ${plural(run.names_refused, 'name')} refused`}
      </Found>
      {run.folder === null ? null : <span class="data quiet">{plainText(run.folder, 200)}</span>}
      <CopyButton
        text={page.command(`sub export run ${run.run} --out ${shortRun(run.run)}`)}
        copy={page.copy}
        says="Copy `sub export run`"
      />
      <CopyButton text={page.command(`sub report ${run.run}`)} copy={page.copy} />
    </>
  );
}

/** A count, and the way to what was counted. */
function Found({
  page,
  filter,
  children,
}: {
  readonly page: Page;
  readonly filter: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <PlaceLink page={page} look="" to={{ view: 'live', filter }}>
      {children}
    </PlaceLink>
  );
}
