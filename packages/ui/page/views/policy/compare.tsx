import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { listAt, textAt, valueAt } from '@subluminal/core-types/portable';
import {
  API,
  type PolicyCompared,
  type PolicyPart,
  type PolicyVersion,
} from '../../../src/protocol/index.js';
import { LineDiff } from '../../parts/diff-view.js';
import { plainText } from '../../parts/plain-text.js';
import { NotYet } from '../../parts/not-yet.js';
import type { Page } from '../../state/page.js';
import { useAnswer } from '../../state/use-answer.js';

/**
 * Two versions of one policy, or one and another policy: what the change means, then the change of the text.
 */
export function Compare({
  page,
  part: { id, versions, now },
  others,
}: {
  readonly page: Page;
  readonly part: PolicyPart;
  /** The newest versions of the other policies. */
  readonly others: readonly PolicyVersion[];
}): JSX.Element {
  // A version that came into force again is one to choose, by the time when it did so last.
  const known = versions.filter(({ hash }, at) => versions.findIndex((one) => one.hash === hash) === at);
  const strangers = others.filter(({ hash }) => known.every((one) => one.hash !== hash));
  const newest = known.find(({ hash }) => hash === now?.hash) ?? known[0];
  const older = known.find(({ hash }) => hash !== newest?.hash);
  const [before, setBefore] = useState((older ?? newest)?.hash ?? '');
  const [after, setAfter] = useState(older === undefined ? '' : (newest?.hash ?? ''));
  const nameOf = (one: PolicyVersion): string =>
    [
      `${one.id === id ? '' : `${plainText(one.id, 60)} `}version ${plainText(one.version, 40)}`,
      ...(one.hash === now?.hash ? ['in force'] : []),
      page.clock.value.full(one.ts),
      one.hash.slice(0, 8),
      ...(one.by === '' ? [] : [plainText(one.by, 80)]),
    ].join(' · ');
  if (newest === undefined)
    return <p class="quiet">No run has loaded it yet, so the record has no version of it.</p>;
  const only =
    older === undefined ? <p class="quiet">The record has one version of it: {nameOf(newest)}.</p> : null;
  if (only !== null && strangers.length === 0) return only;
  const options = (all: readonly PolicyVersion[]): JSX.Element[] =>
    all.map((version) => (
      <option key={version.seq} value={version.hash}>
        {nameOf(version)}
      </option>
    ));
  const choice = (label: string, value: string, set: (hash: string) => void): JSX.Element => (
    <label>
      {label}{' '}
      <select value={value} onChange={(event) => set(event.currentTarget.value)}>
        {value === '' ? <option value="">another policy</option> : null}
        {options(known)}
        {strangers.length === 0 ? null : <optgroup label="Other policies">{options(strangers)}</optgroup>}
      </select>
    </label>
  );
  return (
    <>
      {only}
      <p class="actions">
        {choice(only === null ? 'From' : 'Compare', before, setBefore)}
        {choice(only === null ? 'to' : 'with', after, setAfter)}
      </p>
      {strangers.some(({ hash }) => hash === before || hash === after) ? (
        <p class="quiet">
          As if the second stood in the place of the first. The policy of a project holds beside that of the
          home, and can only refuse more.
        </p>
      ) : null}
      {after === '' ? null : before === after ? (
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
  const answer = useAnswer(
    () => page.api.get<PolicyCompared>(API.compare, { old: before, new: after }),
    [before, after],
  );
  if (answer.value === null) return <NotYet answer={answer} says="Comparing" />;
  return <Changes compared={answer.value} />;
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
