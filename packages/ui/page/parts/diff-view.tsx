import { diffLines, diffWordsWithSpace } from 'diff';
import type { JSX } from 'preact';
import { plainLines } from './plain-text.js';

const MOST = 60_000;
/** Lines around a change that are shown with it. */
const AROUND = 3;

/** Two texts line by line; what is the same is shown only beside a change. */
export function LineDiff({
  before,
  after,
}: {
  readonly before: string;
  readonly after: string;
}): JSX.Element {
  if (before.length + after.length > MOST * 2)
    return <p class="quiet">The texts are too long to be compared here.</p>;
  const parts = diffLines(before, after, { maxEditLength: 4000 }) ?? [];
  if (parts.length === 0) return <p class="quiet">The texts differ too much to be shown side by side.</p>;
  return (
    <div class="diff" role="group" aria-label="Difference" tabIndex={0}>
      {parts.map((part, index) => {
        const look = part.added ? 'added' : part.removed ? 'removed' : '';
        const sign = part.added ? '+' : part.removed ? '-' : ' ';
        const lines = part.value.replace(/\n$/, '').split('\n');
        return linesShown(lines, look === '', index === 0, index === parts.length - 1).map((line, at) => (
          <span key={`${index} ${at}`} class={look}>
            {line === null ? '⋮' : `${sign} ${plainLines(line, 2000)}`}
          </span>
        ));
      })}
    </div>
  );
}

/** Two texts word by word, as one text. */
export function WordDiff({
  before,
  after,
}: {
  readonly before: string;
  readonly after: string;
}): JSX.Element {
  const tooLong = before.length + after.length > MOST;
  const parts = tooLong ? undefined : diffWordsWithSpace(before, after, { maxEditLength: 2000 });
  if (parts === undefined) return <LineDiff before={before} after={after} />;
  return (
    <p class="said">
      {parts.map((part, index) =>
        part.added ? (
          <ins key={index}>{plainLines(part.value)}</ins>
        ) : part.removed ? (
          <del key={index}>{plainLines(part.value)}</del>
        ) : (
          <span key={index}>{plainLines(part.value)}</span>
        ),
      )}
    </p>
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
