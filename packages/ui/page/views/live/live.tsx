import { useEffect, useMemo } from 'preact/hooks';
import { effect, signal, untracked } from '@preact/signals';
import type { JSX } from 'preact';
import type { Row } from '../../../src/protocol/index.js';
import { FilterBar } from '../../filter/filter-bar.js';
import { termText, withinTime, withTerms } from '../../filter/terms.js';
import { useKeys } from '../../keys/use-keys.js';
import { listKeys } from '../../parts/list-keys.js';
import { useList } from '../../parts/use-list.js';
import type { Page } from '../../state/page.js';
import { mark } from '../record/comparing.js';
import { RecordPane } from '../record/record.js';
import { HistogramView } from './histogram-view.js';
import { Over } from './over.js';
import { Replay } from './replay.js';
import { COLUMNS, makeLiveRow } from './row.js';

/** The view of what happens and what happened: every record in the order of the ledger, newest at the end. */
export function Live({ page }: { readonly page: Page }): JSX.Element {
  const { feed, places, keys } = page;
  const place = places.now.value;
  const replay = useMemo(() => new Replay(() => feed.rows.all), [feed]);
  const view = useMemo(() => signal<readonly [number, number] | null>(null), []);
  const { host, list } = useList<Row>(
    () => ({
      label: 'Records, newest last',
      makeRow: makeLiveRow(
        () => page.clock.value,
        (run) => page.agents.of(run),
        () => page.marked.value,
      ),
      opened: (row) => places.amend({ open: row.seq }),
      moved: (index) => {
        const row = feed.rows.all[index];
        if (row === undefined) return;
        feed.follows.value = false;
        if (places.now.value.open !== null) places.amend({ open: row.seq });
      },
      scrolled: (atEnd, atStart) => {
        if (replay.shown.value !== null) return;
        if (!atEnd) feed.follows.value = false;
        else if (feed.isLive.value && list.current?.selected === -1) feed.toHead();
        if (atStart) void feed.readOlder();
        if (atEnd && !feed.isLive.value) void feed.readNewer();
        sawView();
      },
    }),
    (made) => made.show(feed.rows.all, feed.rows.all.length, true),
  );

  const sawView = (): void => {
    const element = host.current;
    const { all } = feed.rows;
    if (element === null || all.length === 0) return;
    const height = element.scrollHeight / Math.max(1, all.length);
    const first = all[Math.max(0, Math.floor(element.scrollTop / height))];
    const last =
      all[Math.min(all.length - 1, Math.floor((element.scrollTop + element.clientHeight) / height))];
    view.value = first === undefined || last === undefined ? null : [first.ts, last.ts];
  };

  useEffect(() => {
    let shifts = feed.shift.peek().n;
    const stops = [
      effect(() => {
        // Names of agents come after the rows that have them.
        void [feed.version.value, page.clock.value, page.marked.value, page.agents.of('')];
        const shown = replay.shown.value;
        const { all } = feed.rows;
        const { by, n } = feed.shift.value;
        const follows = feed.follows.value || shown !== null;
        list.current?.show(all, shown ?? all.length, follows);
        if (n !== shifts && by !== 0 && !follows) list.current?.shiftBy(by);
        shifts = n;
        sawView();
      }),
    ];
    return () => {
      stops.forEach((stop) => stop());
      replay.stop();
    };
  }, []);

  useEffect(() => {
    if (feed.filter.peek() !== place.filter) feed.open(place.filter);
  }, [place.filter]);

  useEffect(() => {
    // The record that is open is selected once: what a person selects after it stays so.
    let done = '';
    return effect(() => {
      const { filter, open } = places.now.value;
      if (open === null) done = '';
      const asked = `${open} ${filter}`;
      const isReady = !feed.isLoading.value && feed.filter.value === filter;
      if (open === null || !isReady || done === asked) return;
      done = asked;
      const select = (): boolean => {
        const index = feed.rows.indexOf(open);
        const isThere = feed.rows.all[index]?.seq === open;
        if (isThere && list.current?.selected !== index) list.current?.select(index, 'middle');
        return isThere;
      };
      untracked(() => {
        if (!select() && filter === '') void feed.goToEntry(open).then(select);
      });
    });
  }, []);

  const scrub = (ms: number): void => {
    const index = feed.rows.all.findIndex(({ ts }) => ts >= ms);
    const first = feed.rows.all[0]?.ts ?? Number.POSITIVE_INFINITY;
    if (index >= 0 && (ms >= first || feed.isWhole.value)) {
      feed.follows.value = false;
      list.current?.select(index, 'middle');
      return;
    }
    void feed.goTo(ms).then((seq) => {
      if (seq === undefined) return undefined;
      return seq === null ? list.current?.toEnd() : list.current?.select(feed.rows.indexOf(seq), 'middle');
    });
  };
  const toEnd = (): void => {
    replay.stop();
    list.current?.select(-1);
    feed.toHead();
    list.current?.toEnd();
  };
  const pause = (): void => {
    if (replay.shown.value !== null) replay.pause();
    else if (feed.follows.value) feed.follows.value = false;
    else toEnd();
  };
  const find = (direction: 1 | -1, fits: (row: Row) => boolean): void => {
    const { all } = feed.rows;
    const from = list.current?.selected ?? -1;
    let at = from < 0 ? (direction > 0 ? -1 : all.length) : from;
    if (from < 0 && direction > 0) at = all.length;
    const step = from < 0 ? -1 : direction;
    for (at += step; at >= 0 && at < all.length; at += step) {
      const row = all[at];
      if (row !== undefined && fits(row)) return list.current?.select(at);
    }
    return page.say(direction > 0 ? 'no later one is loaded' : 'no earlier one is loaded');
  };
  const selected = (): Row | undefined => feed.rows.all[list.current?.selected ?? -1];
  const byCell = (isNot: boolean): void => {
    const row = selected();
    if (row === undefined) return;
    const term = row.tool === null ? termText('kind', row.kind, isNot) : termText('tool', row.tool, isNot);
    places.amend({ filter: withTerms(places.now.value.filter, term) });
  };
  useKeys(
    keys,
    [
      ...listKeys(() => list.current, toEnd),
      { keys: [' '], says: 'pause, follow', isCommon: true, run: pause },
      { keys: ['n'], says: 'next refused', isCommon: true, run: () => find(1, (row) => row.refused) },
      { keys: ['N'], says: 'previous refused', run: () => find(-1, (row) => row.refused) },
      { keys: ['f'], says: 'next unusual', run: () => find(1, (row) => row.flags.length > 0) },
      { keys: ['F'], says: 'previous unusual', run: () => find(-1, (row) => row.flags.length > 0) },
      { keys: ['i'], says: 'only this tool', run: () => byCell(false) },
      { keys: ['x'], says: 'without this tool', run: () => byCell(true) },
      {
        keys: ['r'],
        says: 'replay from here',
        isCommon: true,
        run: () => {
          const at = list.current?.selected ?? -1;
          feed.follows.value = false;
          replay.begin(at < 0 ? 0 : at);
        },
      },
      { keys: ['>'], says: 'replay faster', run: () => replay.faster(1) },
      { keys: ['<'], says: 'replay slower', run: () => replay.faster(-1) },
      {
        keys: ['m'],
        says: 'mark a call',
        run: () => {
          const row = selected();
          if (row?.kind === 'call') mark(page, row.seq);
          else page.say('only a call is compared');
        },
      },
      {
        keys: ['='],
        says: 'compare with the marked one',
        run: () => {
          const [row, against] = [selected(), page.marked.peek()];
          if (row?.kind === 'call' && against !== null && against !== row.seq)
            places.amend({ open: row.seq, against });
          else page.say(against === null ? 'no call is marked: `m` marks one' : 'choose another call');
        },
      },
      {
        keys: ['y'],
        says: 'copy the command',
        run: () => {
          const row = selected();
          if (row !== undefined)
            void page.copy(page.command(`sub show ${row.seq}`)).then(() => page.say('copied'));
        },
      },
      {
        keys: ['Escape'],
        says: 'close, end replay',
        run: () => {
          if (places.now.value.open !== null) places.amend({ open: null });
          else if (replay.shown.value !== null) replay.stop();
          else list.current?.select(-1);
        },
      },
    ],
    [],
  );
  const names = (): readonly string[] => [
    ...new Set(
      feed.rows.all.slice(-5000).flatMap((row) =>
        (['server', 'tool', 'rule'] as const).flatMap((key) => {
          const name = row[key];
          return name === null ? [] : termText(key, name);
        }),
      ),
    ),
    ...page.agents.terms(),
    'action:panic.*',
  ];
  return (
    <div class="live">
      <h1 class="unseen">Live</h1>
      <FilterBar page={page} names={names} />
      <HistogramView
        page={page}
        view={view}
        scrub={scrub}
        keep={(one, other) => page.places.amend({ filter: withinTime(place.filter, one, other) })}
      />
      <div class="beside" data-open={place.open === null ? undefined : ''}>
        <div class="stack">
          <div class="live-head quiet" id="live-head">
            {COLUMNS.map(([look, word]) => (
              <span key={word} class={look}>
                {word}
              </span>
            ))}
          </div>
          <div class="list" id="live" aria-describedby="live-head" ref={host} />
          <Over page={page} replay={replay} toEnd={toEnd} />
        </div>
        {place.open === null ? null : (
          <aside class="pane" aria-label={`Record ${place.open}`}>
            <RecordPane page={page} seq={place.open} close={() => places.amend({ open: null })} />
          </aside>
        )}
      </div>
    </div>
  );
}
