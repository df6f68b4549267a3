import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { ListedRun } from '../../../src/protocol/index.js';
import { useKeys } from '../../keys/use-keys.js';
import { Command } from '../../parts/command.js';
import { plural } from '../../parts/figures.js';
import { listKeys } from '../../parts/list-keys.js';
import { Problem } from '../../parts/problem.js';
import { useList } from '../../parts/use-list.js';
import { usePalette } from '../../theme/use-palette.js';
import type { Page } from '../../state/page.js';
import { readRuns } from './read-runs.js';
import { makeRunRow } from './row.js';
import { withWords, Words } from './words.js';
import { COLUMNS, sorted, type SortKey } from './columns.js';

const EVERY_MS = 3000;

/** The runs, newest first, with their counts. */
export function Runs({ page }: { readonly page: Page }): JSX.Element {
  const there = useMemo(() => readRuns(page.api), []);
  const [runs, problem, isMore] = [there.runs.value, there.problem.value, there.isMore.value];
  const read = runs?.length ?? 0;
  const [sort, setSort] = useState<SortKey>('began');
  const { filter } = page.places.now.value;
  const shown = sorted(withWords(runs ?? [], filter), sort);
  const palette = usePalette(page.looks.theme.value);
  const colours = useRef(palette);
  colours.current = palette;
  const { host, list } = useList<ListedRun>(
    () => ({
      label: 'Runs',
      makeRow: makeRunRow(
        () => page.clock.value,
        () => page.now(),
        () => colours.current,
      ),
      opened: (run) => page.places.go({ view: 'run', id: run.run }),
      moved: () => undefined,
      scrolled: () => undefined,
    }),
    (made) => made.show(shown, shown.length, false),
  );
  useEffect(() => {
    let timer = 0;
    let isOver = false;
    const again = async (): Promise<void> => {
      if (!document.hidden) await there.newest();
      if (!isOver) timer = setTimeout(() => void again(), EVERY_MS);
    };
    void again();
    return () => {
      isOver = true;
      clearTimeout(timer);
      void there.older(() => true);
    };
  }, []);
  /** Reads on until more than so many fit. */
  const readOn = (count: number): void =>
    void there.older(() => withWords(there.runs.value ?? [], filter).length > count);
  useEffect(() => readOn(0), [filter, runs === null]);
  useEffect(
    () => list.current?.show(shown, shown.length, false),
    [runs, sort, filter, page.clock.value, palette],
  );
  useKeys(
    page.keys,
    [
      ...listKeys(
        () => list.current,
        () => list.current?.select(Number.MAX_SAFE_INTEGER),
      ),
      { keys: ['!'], says: 'worst first', isCommon: true, run: () => setSort('refused') },
      { keys: ['Escape'], says: 'select none', run: () => list.current?.select(-1) },
    ],
    [],
  );
  return (
    <div class="runs">
      <h1 class="unseen">Runs</h1>
      <Words page={page} found={shown.length} of={read} />
      <div class="runs-head" role="group" aria-label="Sort by">
        {COLUMNS.map(({ key, word, isNumber }) => (
          <>
            {key === 'calls' ? (
              <span class="quiet" aria-hidden="true">
                Activity
              </span>
            ) : null}
            <button
              key={key}
              type="button"
              class={isNumber ? 'right' : ''}
              aria-pressed={sort === key}
              onClick={() => setSort(key)}
            >
              {word}
            </button>
          </>
        ))}
      </div>
      <div class="beside">
        <div class="stack">
          <div class="list" id="runs" ref={host} />
          {problem === null ? null : (
            <div class="empty over">
              <Problem refused={problem} />
            </div>
          )}
          {runs === null && problem === null ? <p class="empty over">Loading</p> : null}
          {runs !== null && read === 0 ? (
            <div class="empty over">
              <h1>No run has begun yet</h1>
              <p>A run begins with an agent's client.</p>
              <Command text={page.command('sub run -- claude')} copy={page.copy} />
            </div>
          ) : null}
          {shown.length > 0 || read === 0 ? null : (
            <p class="empty over">
              None of the {plural(read, isMore ? 'newest run' : 'run')} has these words.
            </p>
          )}
          {isMore ? (
            <button type="button" class="pill" onClick={() => readOn(shown.length)}>
              Older runs
            </button>
          ) : null}
        </div>
      </div>
    </div>
  );
}
