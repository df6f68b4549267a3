import { useEffect, useRef, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { API, type LayerChange, type World } from '../../../src/protocol/index.js';
import { useKeys } from '../../keys/use-keys.js';
import { plural, spanText } from '../../parts/figures.js';
import { PlaceLink } from '../../parts/place-link.js';
import { plainText } from '../../parts/plain-text.js';
import { Problem } from '../../parts/problem.js';
import type { Page } from '../../state/page.js';
import { useAnswer } from '../../state/use-answer.js';
import { ChangeRow } from './change-row.js';
import { leavesOf, toTake, toThrow } from './choice.js';
import { Decide } from './decide.js';
import { type Ended, EndOf } from './ended.js';
import { SignsOf } from './worlds.js';

/** Rows that are drawn before somebody asks for all. */
const FIRST_ROWS = 300;
const MOST_LABEL = 80;

/** One layer: each file that differs, and what becomes of them. */
export function WorldView({ page }: { readonly page: Page }): JSX.Element {
  const { id, filter } = page.places.now.value;
  const [ended, setEnded] = useState<Ended | null>(null);
  const { again, value, problem, isAsking } = useAnswer(
    () => page.api.get<World>(`${API.world}/${encodeURIComponent(id)}`),
    [id],
  );
  const list = useRef<HTMLUListElement>(null);
  const focus = (by: number): void => {
    const rows = [...(list.current?.querySelectorAll<HTMLElement>('button.name') ?? [])];
    const at = rows.findIndex((row) => row.closest('li')?.contains(document.activeElement));
    rows[Math.max(0, Math.min(rows.length - 1, at < 0 ? 0 : at + by))]?.focus();
  };
  useKeys(
    page.keys,
    [
      { keys: ['j', 'ArrowDown'], says: 'next file', isCommon: true, run: () => focus(1) },
      { keys: ['k', 'ArrowUp'], says: 'file before', isCommon: true, run: () => focus(-1) },
      { keys: ['r'], says: 'look again', isCommon: true, run: again },
      { keys: ['Escape'], says: 'to Worlds', isCommon: true, run: () => page.places.go({ view: 'worlds' }) },
    ],
    [],
  );
  const toList = (
    <p>
      <PlaceLink page={page} look="" to={{ view: 'worlds' }}>
        All worlds
      </PlaceLink>
    </p>
  );
  // Behind a decision on all there is no layer any more, and that is no mistake.
  const isGone = problem?.code === 'not_found' && ended !== null;
  return (
    <div class="page world">
      {toList}
      {ended === null ? null : <EndOf page={page} ended={ended} isGone={isGone} />}
      {problem === null || isGone ? null : <Problem refused={problem} again={again} isAsking={isAsking} />}
      {value === null && problem === null ? <p class="quiet">Reading</p> : null}
      {value === null || problem !== null ? null : (
        <Layer
          // Another state of the layer is chosen from anew.
          key={value.overwrite}
          page={page}
          world={value}
          open={filter}
          list={list}
          isAsking={isAsking}
          again={again}
          done={(end) => {
            setEnded(end);
            page.say(end.says);
            again();
          }}
        />
      )}
    </div>
  );
}

function Layer({
  page,
  world,
  open,
  list,
  isAsking,
  again,
  done,
}: {
  readonly page: Page;
  readonly world: World;
  readonly open: string;
  readonly list: preact.RefObject<HTMLUListElement | null>;
  readonly isAsking: boolean;
  readonly again: () => void;
  readonly done: (ended: Ended) => void;
}): JSX.Element {
  const { changes, more, layer, shown, folder } = world;
  const [ticks, setTicks] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [overs, setOvers] = useState<ReadonlySet<string>>(new Set());
  const [isAll, setAll] = useState(false);
  const leaves = leavesOf(changes);
  const isTicked = ({ path, state }: LayerChange): boolean => ticks.get(path) ?? state === 'taken';
  const ticked = leaves.filter(isTicked).length;
  const isLeaf = new Set(leaves);
  // A folder is told by what stands in it, unless there is something to be said of itself.
  const rows = changes.filter((change) => isLeaf.has(change) || isOwn(change));
  const drawn = isAll ? rows : rows.slice(0, FIRST_ROWS);
  const overwrite = (path: string, isOn: boolean): void => {
    setOvers(isOn ? new Set([...overs, path]) : new Set([...overs].filter((one) => one !== path)));
    // Nobody takes a file over and throws it away.
    if (isOn) setTicks(new Map(ticks).set(path, false));
  };
  const canChange = page.state.value?.access !== 'read';
  const every = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (every.current !== null) every.current.indeterminate = ticked > 0 && ticked < leaves.length;
  });
  return (
    <>
      <header>
        <h1 class="data">{plainText(folder, 400)}</h1>
        <p>
          <SignsOf signs={world} />{' '}
          <span class="quiet">
            begun {spanText(Math.max(0, page.now() - world.since))} ago, layer{' '}
            <span class="data">{layer}</span>, by{' '}
            <span class="data">{plainText(world.label, MOST_LABEL)}</span>
          </span>{' '}
          {world.run === '' ? null : (
            <PlaceLink page={page} look="" to={{ view: 'run', id: world.run }}>
              Run {page.agents.named(world.run)}
            </PlaceLink>
          )}{' '}
          <button type="button" disabled={isAsking} onClick={again}>
            {isAsking ? 'Looking' : 'Look again'}
          </button>
        </p>
        {world.in_world ? (
          <p class="quiet">Its world runs. What it writes from now on stands here after another look.</p>
        ) : null}
        {world.truncated ? <p>There are more changes than were looked at.</p> : null}
      </header>
      {changes.length === 0 ? (
        <p class="quiet">Nothing differs from the project.</p>
      ) : (
        <>
          {canChange ? (
            <label class="every">
              <input
                ref={every}
                type="checkbox"
                checked={ticked === leaves.length}
                disabled={isAsking}
                onChange={(event) => {
                  const { checked } = event.currentTarget;
                  setTicks(new Map(leaves.map(({ path }) => [path, checked])));
                  setOvers(new Set());
                }}
              />{' '}
              All {plural(leaves.length, 'file')}
            </label>
          ) : null}
          <ul class="changes" ref={list}>
            {drawn.map((change) => (
              <ChangeRow
                key={change.path}
                page={page}
                layer={layer}
                shown={change.overwrite ? world.overwrite : shown}
                change={change}
                isTicked={isTicked(change)}
                isBusy={isAsking}
                overwriting={{
                  isOn: overs.has(change.path),
                  set: canChange && !isAsking ? (isOn) => overwrite(change.path, isOn) : null,
                }}
                tick={
                  canChange && isLeaf.has(change)
                    ? (isOn) => {
                        setTicks(new Map(ticks).set(change.path, isOn));
                        if (isOn) overwrite(change.path, false);
                      }
                    : null
                }
                isOpen={open === change.path}
                toggle={() => page.places.amend({ filter: open === change.path ? '' : change.path })}
              />
            ))}
          </ul>
          {rows.length > drawn.length ? (
            <button type="button" onClick={() => setAll(true)}>
              Show {plural(rows.length - drawn.length, 'file')} more
            </button>
          ) : null}
          {more > 0 ? (
            <p class="quiet">
              And {plural(more, 'change')} more that are not listed here: `sub world diff --layer {layer}`.
            </p>
          ) : null}
          <Decide
            page={page}
            world={world}
            isLooking={isAsking}
            take={toTake(changes, more, isTicked, ({ path }) => overs.has(path))}
            discard={toThrow(changes, more, isTicked)}
            changed={again}
            done={done}
          />
        </>
      )}
    </>
  );
}

/** Whether a folder has to be told itself. One that is asked about has all in it asked about, too. */
function isOwn({ how, state }: LayerChange): boolean {
  return state === 'left' || how === 'mode' || how === 'replaced';
}
