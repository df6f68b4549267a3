import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { listAt, textAt, valueAt } from '@subluminal/core-types/portable';
import { API, type PolicyCompared, type PolicyVersion } from '../../../src/protocol/index.js';
import { LineDiff } from '../../parts/diff-view.js';
import { plainText } from '../../parts/plain-text.js';
import { Problem } from '../../parts/problem.js';
import type { Page } from '../../state/page.js';
import { useAnswer } from '../../state/use-answer.js';

/** Two versions of the policy: what the change means, then the change of the text. */
export function Compare({
  page,
  versions,
  current,
  hash: inForce,
}: {
  readonly page: Page;
  readonly versions: readonly PolicyVersion[];
  /** The id of the policy in force: of several, its versions are what is compared first. */
  readonly current: string;
  /** That of the policy in force. */
  readonly hash: string;
}): JSX.Element {
  // A version that came into force again is one to choose, by the time when it did so last.
  const known = versions.filter(({ hash }, at) => versions.findIndex((one) => one.hash === hash) === at);
  const own = known.filter(({ id }) => id === current);
  const [newest = known[0], older = known.find(({ ts }) => ts < (newest?.ts ?? 0))] = own;
  const [before, setBefore] = useState(older?.hash ?? '');
  const [after, setAfter] = useState(newest?.hash ?? '');
  const nameOf = ({ ts, id, hash, by }: PolicyVersion): string =>
    [
      hash.slice(0, 8),
      ...(hash === inForce ? ['in force'] : []),
      page.clock.value.full(ts),
      plainText(id, 60),
      ...(by === '' ? [] : [plainText(by, 80)]),
    ].join(' · ');
  if (known.length < 2)
    return (
      <p>
        {known.map(nameOf)} <span class="quiet">With a second one, the two can be compared here.</span>
      </p>
    );
  const choice = (label: string, value: string, set: (hash: string) => void): JSX.Element => (
    <label>
      {label}{' '}
      <select value={value} onChange={(event) => set(event.currentTarget.value)}>
        {value === '' ? <option value="">choose</option> : null}
        {known.map((version) => (
          <option key={version.seq} value={version.hash}>
            {nameOf(version)}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <>
      <p class="actions">
        {choice('From', before, setBefore)}
        {choice('to', after, setAfter)}
      </p>
      {before === '' || after === '' ? (
        <p class="quiet">The policy in force had no earlier version; choose what to compare it with.</p>
      ) : before === after ? (
        <p class="quiet">They are the same.</p>
      ) : (
        <Compared page={page} before={before} after={after} />
      )}
    </>
  );
}

function Compared({
  page,
  before,
  after,
}: {
  readonly page: Page;
  readonly before: string;
  readonly after: string;
}): JSX.Element {
  const { value, problem } = useAnswer(
    () => page.api.get<PolicyCompared>(API.compare, { old: before, new: after }),
    [before, after],
  );
  if (value === null)
    return problem === null ? <p class="quiet">Comparing</p> : <Problem refused={problem} />;
  return <Changes compared={value} />;
}

/** The difference of two policies: what it means, then the texts. */
export function Changes({
  compared: { diff, old, new: after },
}: {
  readonly compared: PolicyCompared;
}): JSX.Element {
  const changes = listAt(diff, 'changes');
  const verdict = [
    ...(valueAt(diff, 'loosened') === true ? ['it allows something that was refused'] : []),
    ...(valueAt(diff, 'tightened') === true ? ['it refuses something that was allowed'] : []),
  ];
  return (
    <>
      <p>
        {changes.length === 0
          ? 'No rule decides otherwise.'
          : `${changes.length === 1 ? 'One change' : `${changes.length} changes`}${verdict.length === 0 ? '' : `: ${verdict.join(', and ')}`}.`}
      </p>
      <ul class="changes">
        {changes.map((change, index) => {
          const severity = textAt(change, 'severity');
          const loosens = valueAt(change, 'loosens') === true;
          const tightens = valueAt(change, 'tightens') === true;
          const word =
            loosens && tightens ? 'both ways' : loosens ? 'loosens' : tightens ? 'tightens' : 'other';
          return (
            <li key={index}>
              <span
                class="mark"
                data-meaning={severity === 'critical' ? 'refused' : loosens ? 'slowed' : 'allow'}
              >
                <i aria-hidden="true">{severity === 'critical' ? '!' : loosens ? '+' : '·'}</i>
                {word}
              </span>{' '}
              {plainText(textAt(change, 'text'), 400)}
              {textAt(change, 'why') === '' ? null : (
                <span class="quiet"> {plainText(textAt(change, 'why'), 400)}</span>
              )}
            </li>
          );
        })}
      </ul>
      <LineDiff before={old.text} after={after.text} />
    </>
  );
}
