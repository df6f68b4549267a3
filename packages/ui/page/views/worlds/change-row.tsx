import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { API, type LayerChange, type LayerPatch } from '../../../src/protocol/index.js';
import { countText, sizeText } from '../../parts/figures.js';
import { LineText, MANY_BLANKS } from '../../parts/line-text.js';
import { pathText, plainText } from '../../parts/plain-text.js';
import { NotYet } from '../../parts/not-yet.js';
import type { Page } from '../../state/page.js';
import { useAnswer } from '../../state/use-answer.js';
import { Overwrite, type Overwriting } from './overwrite.js';

const WORDS = { '+': 'added', '~': 'changed', '-': 'deleted' } as const;
/** Those who look at a page have its lines and its buttons. */
const EITHER =
  'Open it to see both. To keep yours, throw it away; to have the one of the world, choose there to overwrite.';
const GONE = 'Open it to see it. To leave it so, throw it away; to have it again, choose there to overwrite.';
const HELP: Readonly<Record<string, string>> = {
  changed: EITHER,
  stale: EITHER,
  exists: EITHER,
  gone: GONE,
};

/** Signs of a path that are shown, and of one line. */
const MOST_PATH = 1000;
const MOST_LINE = 2000;

/** A file of a layer: its box, its path, what a person should know of it, and its lines if they are open. */
export function ChangeRow({
  page,
  layer,
  shown,
  change,
  isTicked,
  isBusy,
  tick,
  isOpen,
  toggle,
  overwriting,
}: {
  readonly page: Page;
  readonly layer: string;
  /** The digest by which its lines are asked for. */
  readonly shown: string;
  readonly change: LayerChange;
  readonly isTicked: boolean;
  /** It is looked at again: a choice now would be lost. */
  readonly isBusy: boolean;
  /** Null where nothing can be chosen. */
  readonly tick: ((isTicked: boolean) => void) | null;
  readonly isOpen: boolean;
  readonly toggle: () => void;
  readonly overwriting: Overwriting;
}): JSX.Element {
  const { path, sign, how, kind, size, state } = change;
  const name = pathText(path, MOST_PATH);
  return (
    <li class="change" data-state={state}>
      <div class="change-line">
        {tick === null ? null : (
          <label class="box">
            <input
              type="checkbox"
              checked={isTicked}
              disabled={isBusy}
              aria-label={`Choose ${name}`}
              onChange={(event) => tick(event.currentTarget.checked)}
            />
          </label>
        )}
        <button type="button" class="bare name" aria-expanded={isOpen} onClick={toggle}>
          <span class="data sign" aria-hidden="true">
            {sign}
          </span>
          <span class="unseen">{WORDS[sign]} </span>
          <span class="data">{name}</span>
        </button>
        <span class="quiet data">
          {how === 'mode' ? 'mode' : kind === 'file' ? (size === null ? '' : sizeText(size)) : kind}
        </span>
      </div>
      <Remark change={change} isOverwritten={overwriting.isOn} />
      {isOpen ? (
        <Patch page={page} layer={layer} shown={shown} change={change} overwriting={overwriting} />
      ) : null}
    </li>
  );
}

function Remark({
  change,
  isOverwritten,
}: {
  readonly change: LayerChange;
  readonly isOverwritten: boolean;
}): JSX.Element | null {
  const { state, reasons, what, help, remark } = change;
  if (state === 'asks')
    return (
      <p class="remark">
        <span class="mark" data-meaning="waits">
          <i aria-hidden="true">?</i>
          {reasons.map((reason) => plainText(reason, 300)).join('; ')}
        </span>
      </p>
    );
  if (isOverwritten)
    return (
      <p class="remark">
        <span class="mark" data-meaning="waits">
          <i aria-hidden="true">?</i>
          {['the project loses its own', ...reasons].map((reason) => plainText(reason, 300)).join('; ')}
        </span>
      </p>
    );
  if (state === 'left')
    return (
      <p class="remark">
        <span class="mark" data-meaning="refused">
          <i aria-hidden="true">✕</i>
          not taken over: {plainText(what, 300)}
        </span>{' '}
        <span class="quiet">{(change.overwrite ? HELP[change.why] : undefined) ?? plainText(help, 600)}</span>
      </p>
    );
  return remark === '' ? null : <p class="remark quiet">{plainText(remark, 300)}</p>;
}

function Patch({
  page,
  layer,
  shown,
  change,
  overwriting,
}: {
  readonly page: Page;
  readonly layer: string;
  readonly shown: string;
  readonly change: LayerChange;
  readonly overwriting: Overwriting;
}): JSX.Element {
  const { path } = change;
  const answer = useAnswer(
    () => page.api.get<LayerPatch>(`${API.world}/${layer}`, { path, shown }),
    [layer, path, shown],
  );
  const [isWhole, setWhole] = useState(false);
  const { value } = answer;
  if (value === null) return <NotYet answer={answer} />;
  const lines = value.lines.slice(1).map((line) => line.replaceAll('\t', '    '));
  const isCut = !isWhole && lines.some((line) => line.length > MOST_LINE || MANY_BLANKS.test(line));
  // The first line names the file, as the row does.
  return (
    <>
      <div class="diff" role="group" aria-label={`Lines of ${pathText(path, 200)}`} tabIndex={0}>
        {lines.map((line, at) => (
          <span key={at} class={classOf(line)}>
            {isWhole ? plainText(line, line.length) : <Shortened line={line} />}
          </span>
        ))}
        {isCut ? (
          <button type="button" onClick={() => setWhole(true)}>
            Show these lines whole
          </button>
        ) : null}
        {value.more === 0 ? null : <span class="quiet">and {countText(value.more)} lines more</span>}
        {value.lines.length < 2 ? <span class="quiet">No lines differ.</span> : null}
      </div>
      {change.overwrite && overwriting.set !== null ? (
        <Overwrite
          page={page}
          layer={layer}
          change={change}
          isWhole={value.is_whole && !isCut}
          {...overwriting}
        />
      ) : null}
    </>
  );
}

/** A line without what nobody reads: that something is left out is told in marks that no file can write. */
function Shortened({ line }: { readonly line: string }): JSX.Element {
  const half = MOST_LINE / 2;
  const isLong = line.length > MOST_LINE;
  const parts = isLong ? [line.slice(0, half), line.slice(-half)] : [line];
  return (
    <>
      {parts.map((part, at) => (
        <>
          {at === 0 ? null : <em>{countText(line.length - MOST_LINE)} signs left out</em>}
          <LineText line={part} />
        </>
      ))}
    </>
  );
}

function classOf(line: string): string {
  if (line.startsWith('+') && !line.startsWith('+++ ')) return 'added';
  return line.startsWith('-') && !line.startsWith('--- ') ? 'removed' : '';
}
