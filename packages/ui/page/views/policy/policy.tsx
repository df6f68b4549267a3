import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { textAt } from '@subluminal/core-types/portable';
import { API, type PolicyView } from '../../../src/protocol/index.js';
import { termText } from '../../filter/terms.js';
import { useKeys } from '../../keys/use-keys.js';
import { CopyButton } from '../../parts/command.js';
import { countText } from '../../parts/figures.js';
import { PlaceLink } from '../../parts/place-link.js';
import { plainLines, plainText } from '../../parts/plain-text.js';
import { Problem } from '../../parts/problem.js';
import type { Page } from '../../state/page.js';
import { useAnswer } from '../../state/use-answer.js';
import { Compare } from './compare.js';
import { OnDisk } from './on-disk.js';

/** The policy in force: its rules in order, how often each decided, and how it came to be so. */
export function PolicyPage({ page }: { readonly page: Page }): JSX.Element {
  const inForce = page.state.value?.policy;
  const { value, problem } = useAnswer(
    () => page.api.get<PolicyView>(API.policy),
    [inForce?.hash, inForce?.problem],
  );
  const [isText, setText] = useState(false);
  useKeys(page.keys, [{ keys: ['Escape'], says: 'back', run: () => page.places.back() }], []);
  if (value === null)
    return (
      <div class="page">
        {problem === null ? <p class="quiet">Reading</p> : <Problem refused={problem} />}
      </div>
    );
  const { policy, rules, versions } = value;
  const marked = page.places.now.value.filter;
  return (
    <div class="page">
      <header>
        <h1>
          <span class="data">{plainText(textAt(policy, 'policy_id'), 80)}</span>{' '}
          <span class="quiet">
            version {plainText(textAt(policy, 'policy_version') || textAt(policy, 'version'), 40)},{' '}
            {plainText(textAt(policy, 'mode'), 40)}
          </span>
        </h1>
        <p class="quiet data">hash {plainText(textAt(policy, 'policy_hash'), 80)}</p>
      </header>
      {value.problem === null ? null : <OnDisk page={page} policy={policy} problem={value.problem} />}
      <section>
        <h2>Versions</h2>
        <Compare
          page={page}
          versions={versions}
          current={textAt(policy, 'policy_id')}
          hash={textAt(policy, 'policy_hash')}
        />
      </section>
      <section>
        <h2>
          Rules, in the order in which they are asked; counted since {page.clock.value.full(value.since)}
          {value.partial ? ', older decisions were not counted' : ''}
        </h2>
        <table>
          <thead>
            <tr>
              <th scope="col">Rule</th>
              <th scope="col">Kind</th>
              <th scope="col" class="number">
                Decided
              </th>
              <th scope="col" class="number">
                Refused
              </th>
              <th scope="col">
                <span class="unseen">Records</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {rules.map((rule) => (
              <tr key={rule.id} data-marked={rule.id === marked ? '' : undefined}>
                <td class="data">{plainText(rule.id, 120)}</td>
                <td>
                  {plainText(rule.kind, 40)}
                  {rule.enabled ? '' : ', switched off'}
                </td>
                <td class="number data">
                  {rule.hits === 0 ? <span class="quiet">never</span> : countText(rule.hits)}
                </td>
                <td class="number data">{rule.refused === 0 ? '' : countText(rule.refused)}</td>
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
        {rules.length === 0 ? <p class="quiet">It has no rules: its default decides every call.</p> : null}
      </section>
      <section>
        <p class="actions">
          <button type="button" aria-expanded={isText} onClick={() => setText(!isText)}>
            {isText ? 'Hide its text' : 'Show its text'}
          </button>
          <CopyButton text={page.command('sub policy show')} copy={page.copy} />
        </p>
        {isText ? (
          <pre class="said" tabIndex={0}>
            {plainLines(value.text)}
          </pre>
        ) : null}
      </section>
    </div>
  );
}
