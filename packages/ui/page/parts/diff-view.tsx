import { useMemo } from 'preact/hooks';
import type { JSX } from 'preact';
import { differenceOf, type Difference, type Part } from './compare.js';
import { plainLines } from './plain-text.js';

/** Lines around a change that are shown with it. */
const AROUND = 3;
/** Signs of a line that is the same in both texts. */
const MOST_SAME = 2000;

/** Two texts line by line; what is the same is shown only beside a change. */
export function LineDiff({
  before,
  after,
}: {
  readonly before: string;
  readonly after: string;
}): JSX.Element {
  const difference = useMemo(() => differenceOf(before, after, 'lines'), [before, after]);
  return <DiffView difference={difference} />;
}

/** A difference; every sign of what differs is in it, or it says that it is not shown. */
export function DiffView({ difference }: { readonly difference: Difference | null }): JSX.Element {
  if (difference === null)
    return <p class="quiet">More differs than can be shown here: a terminal shows all of it.</p>;
  return difference.by === 'words' ? <Words parts={difference.parts} /> : <Lines parts={difference.parts} />;
}

function Lines({ parts }: { readonly parts: readonly Part[] }): JSX.Element {
  return (
    <div class="diff" role="group" aria-label="Difference" tabIndex={0}>
      {parts.map(({ is, text }, index) => {
        const sign = is === 'added' ? '+' : is === 'removed' ? '-' : ' ';
        const lines = text.replace(/\n$/, '').split('\n');
        const isSame = is === 'same';
        return linesShown(lines, isSame, index === 0, index === parts.length - 1).map((line, at) => (
          <span key={`${index} ${at}`} class={isSame ? '' : is}>
            {line === null ? '⋮' : `${sign} ${plainLines(line, isSame ? MOST_SAME : line.length)}`}
          </span>
        ));
      })}
    </div>
  );
}

/** Both texts, one below the other, each with its own words marked. */
function Words({ parts }: { readonly parts: readonly Part[] }): JSX.Element {
  const without = (left: Part['is']): JSX.Element[] =>
    parts.flatMap(({ is, text }, index) => {
      if (is === left) return [];
      const plain = plainLines(text, text.length);
      if (is === 'added') return <ins key={index}>{plain}</ins>;
      return is === 'removed' ? <del key={index}>{plain}</del> : <b key={index}>{plain}</b>;
    });
  return (
    <div class="diff" role="group" aria-label="Difference" tabIndex={0}>
      <span>- {without('added')}</span>
      <span>+ {without('removed')}</span>
    </div>
  );
}

function linesShown(
  lines: readonly string[],
  isSame: boolean,
  isFirst: boolean,
  isLast: boolean,
): readonly (string | null)[] {
  if (!isSame || lines.length <= AROUND * 2) return lines;
  if (isFirst && isLast) return lines.slice(0, AROUND);
  if (isFirst) return [null, ...lines.slice(-AROUND)];
  if (isLast) return [...lines.slice(0, AROUND), null];
  return [...lines.slice(0, AROUND), null, ...lines.slice(-AROUND)];
}
