import type { JSX } from 'preact';
import { API, type PolicyView, type RuleWritten } from '../../../src/protocol/index.js';
import { plainText } from '../../parts/plain-text.js';
import type { Page } from '../../state/page.js';
import { useAnswer } from '../../state/use-answer.js';

/** A rule that was written: the entry that asked for it, and the one by which it came into force. */
export function Written({
  page,
  entry,
  written: { file, policy_hash, rule },
}: {
  readonly page: Page;
  readonly entry: string;
  readonly written: RuleWritten;
}): JSX.Element {
  const policy = page.state.value?.policy;
  const isInForce = policy?.hash === policy_hash;
  const { value } = useAnswer(() => page.api.get<PolicyView>(API.policy), [policy?.hash]);
  const loaded = value?.parts[0]?.versions.find(({ hash }) => hash === policy_hash);
  const toEntry = (seq: string): JSX.Element => (
    <button type="button" class="bare" onClick={() => page.places.go({ view: 'record', id: seq })}>
      entry {seq}
    </button>
  );
  return (
    <section class="cards rule-for">
      <p role="status">
        Rule <span class="data">{plainText(rule, 120)}</span> is written to{' '}
        <span class="data">{plainText(file, 1000)}</span>: {toEntry(entry)}.
      </p>
      <p role="status">
        {isInForce ? (
          <>It is in force{loaded === undefined ? '.' : <>: {toEntry(String(loaded.seq))}.</>}</>
        ) : (
          'It is not in force yet.'
        )}
      </p>
      {isInForce ? null : (
        <p class="actions">
          <button type="button" onClick={() => page.places.go({ view: 'policy' })}>
            To the policy
          </button>
        </p>
      )}
    </section>
  );
}
