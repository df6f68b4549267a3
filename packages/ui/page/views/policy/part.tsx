import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { PolicyPart, PolicyVersion, RuleRow } from '../../../src/protocol/index.js';
import { termText } from '../../filter/terms.js';
import { countText } from '../../parts/figures.js';
import { PlaceLink } from '../../parts/place-link.js';
import { pathText, plainLines, plainText } from '../../parts/plain-text.js';
import type { Page } from '../../state/page.js';
import { Compare } from './compare.js';

/** One policy: for what it is in force, its versions, and its rules in order with what they decided. */
export function Part({
  page,
  part,
  others,
  marked,
}: {
  readonly page: Page;
  readonly part: PolicyPart;
  /** The newest versions of the other policies, which it can be compared with. */
  readonly others: readonly PolicyVersion[];
  /** The id of the rule that was asked for; empty if it is none of this policy's. */
  readonly marked: string;
}): JSX.Element {
  const [isText, setText] = useState(false);
  const { id, of, from, now, rules, text, versions } = part;
  const isOlder = now !== null && versions[0] !== undefined && versions[0].hash !== now.hash;
  return (
    <section>
      <h2>
        {BEGINS[now === null && of !== 'run' ? 'over' : of]}
        {of === 'project' ? ` for runs in ${pathText(from.replace(/\/[^/]*$/, ''), 120)}` : ''}
        {': '}
        <span class="data">{plainText(id, 80)}</span>
        {now === null ? '' : ` version ${plainText(now.version, 40)}`}
        {of === 'home' ? ', everywhere' : ''}
      </h2>
      <p class="quiet data">
        {pathText(from, 400)}
        {now === null ? null : `, ${plainText(now.mode, 40)}, hash ${plainText(now.hash, 80)}`}
      </p>
      {of === 'project' && now !== null && now.file !== 'trusted' ? (
        <p>Its file is another one now ({plainText(now.file, 40)}): the text that was trusted holds.</p>
      ) : null}
      {of === 'project' && isOlder ? (
        <p>The last run that loaded it had another version: runs load this one from now on.</p>
      ) : null}
      <Compare key={now?.hash} page={page} part={part} others={others} />
      {now === null ? null : <Rules page={page} rules={rules} marked={marked} isKnown={text !== null} />}
      {text === null ? null : (
        <p class="actions">
          <button type="button" aria-expanded={isText} onClick={() => setText(!isText)}>
            {isText ? 'Hide its text' : 'Show its text'}
          </button>
        </p>
      )}
      {isText && text !== null ? (
        <pre class="said" tabIndex={0}>
          {plainLines(text)}
        </pre>
      ) : null}
    </section>
  );
}

const BEGINS = {
  home: 'In force',
  project: 'Also in force',
  run: 'Brought along by runs',
  over: 'Not in force now',
} as const;

function Rules({
  page,
  rules,
  marked,
  isKnown,
}: {
  readonly page: Page;
  readonly rules: readonly RuleRow[];
  readonly marked: string;
  readonly isKnown: boolean;
}): JSX.Element | null {
  if (rules.length === 0)
    return isKnown ? <p class="quiet">It has no rules: its default decides every call.</p> : null;
  return (
    <table>
      <thead>
        <tr>
          {['Rule', 'Kind', 'Decided', 'How'].map((word) => (
            <th key={word} scope="col">
              {word}
            </th>
          ))}
          <th scope="col">
            <span class="unseen">Records</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {rules.map((rule) => (
          <tr
            key={rule.id}
            data-marked={rule.id === marked ? '' : undefined}
            ref={(row) => {
              if (rule.id === marked) row?.scrollIntoView({ block: 'nearest' });
            }}
          >
            <td class="data">{plainText(rule.id, 120)}</td>
            <td>
              {plainText(rule.kind, 40)}
              {rule.enabled ? '' : ', switched off'}
            </td>
            <td class="data">{rule.hits === 0 ? <span class="quiet">never</span> : countText(rule.hits)}</td>
            <td>{rule.how}</td>
            <td class="number">
              {rule.hits === 0 ? null : (
                <PlaceLink
                  page={page}
                  look=""
                  label={`Records of ${plainText(rule.id, 120)}`}
                  to={{ view: 'live', filter: termText('rule', rule.id) }}
                >
                  Records
                </PlaceLink>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
