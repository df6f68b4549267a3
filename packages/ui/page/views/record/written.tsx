import type { JSX } from 'preact';
import { API, type PolicyView, type RuleWritten } from '../../../src/protocol/index.js';
import { EntryLink, PlaceLink } from '../../parts/place-link.js';
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
  return (
    <section class="cards rule-for">
      <p role="status">
        Rule <span class="data">{plainText(rule, 120)}</span> is written to{' '}
        <span class="data">{plainText(file, 1000)}</span>: <EntryLink page={page} seq={entry} />.
      </p>
      <p role="status">
        {isInForce ? (
          <>
            It is in force
            {loaded === undefined ? (
              '.'
            ) : (
              <>
                : <EntryLink page={page} seq={loaded.seq} />.
              </>
            )}
          </>
        ) : (
          'It is not in force yet.'
        )}
      </p>
      {isInForce ? null : (
        <p class="actions">
          <PlaceLink page={page} look="button" to={{ view: 'policy' }}>
            To the policy
          </PlaceLink>
        </p>
      )}
    </section>
  );
}
