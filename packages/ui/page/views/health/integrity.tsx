import type { JSX } from 'preact';
import type { Health } from '../../../src/protocol/index.js';
import { Command } from '../../parts/command.js';
import { countText } from '../../parts/figures.js';
import { PlaceLink } from '../../parts/place-link.js';
import { pathText, plainText } from '../../parts/plain-text.js';
import type { Page } from '../../state/page.js';

/** The record as this browser found it by itself, and how to find out without the browser. */
export function Integrity({
  page,
  health,
}: {
  readonly page: Page;
  readonly health: Health | null;
}): JSX.Element {
  const { watch } = page;
  const [finding, head, walk, walked] = [
    watch.finding.value,
    watch.head.value,
    watch.walk.value,
    watch.walked.value,
  ];
  const [before, since] = [watch.before.value, watch.since.value];
  const at = (ms: number): string => page.clock.value.full(ms);
  const newer = Math.max(0, (page.state.value?.head ?? 0) - (walked?.size ?? 0));
  return (
    <section>
      <h2>The record, as this browser checks it</h2>
      {finding === null ? null : (
        <div class="cards">
          <p class="verdict" data-state="bad" role="alert">
            ✕ {finding.seq === null ? 'The record does not fit' : `Entry ${finding.seq} does not fit`}:{' '}
            {plainText(finding.why)}
          </p>
          <p>
            Copy the whole home before you do anything else. Then ask the verifier that shares no code with
            the gateway, and compare with an anchor or a backup. This browser goes on saying so until you tell
            it that you know.
          </p>
          <p class="actions">
            <button
              type="button"
              onClick={() => {
                page.dialog.value = {
                  kind: 'sure',
                  title: 'Forget what was found?',
                  says: 'This browser also forgets the checkpoint that it remembered, and begins anew with what the gateway shows now.',
                  does: () => void watch.forget(),
                };
              }}
            >
              I know, forget it
            </button>
          </p>
        </div>
      )}
      <div class="checks">
        <div class="check">
          <span class="verdict" data-state={head === null ? 'open' : 'good'}>
            {head === null ? 'not yet' : 'signed'}
          </span>
          <p>
            {head === null
              ? `The newest signed head was not checked${watch.problem.value === null ? ' yet' : `: ${plainText(watch.problem.value)}`}.`
              : `The head of ${countText(head.size)} entries has the signature of this ledger's key.`}
          </p>
          <span class="quiet data">{head === null ? '' : at(head.at)}</span>
        </div>
        <div class="check">
          <span class="verdict" data-state={before === null ? 'open' : 'good'}>
            {before === null ? 'first sight' : 'continues'}
          </span>
          <p>
            {before === null
              ? 'This browser sees this record for the first time: it trusts what it saw, and notices from now on if entries are taken back or rewritten. Of the time before it can say nothing.'
              : `It continues the ${countText(before.size)} entries that this browser saw at ${at(before.at)}, and all that it saw since ${at(before.first)}: none was taken back or rewritten.`}
          </p>
          <span />
        </div>
        <div class="check">
          <span class="verdict" data-state={finding !== null ? 'bad' : walked === null ? 'open' : 'good'}>
            {finding !== null ? 'does not fit' : walked === null ? 'under way' : 'intact'}
          </span>
          <p>
            {walked === null
              ? `Entries are hashed again in small steps: ${countText((walk?.next ?? 1) - 1)} of ${countText(walk?.size ?? head?.size ?? 0)} so far.`
              : `${finding === null ? `${countText(walked.size)} entries since ${since === null ? 'the first one' : `${at(since)} (first entry)`}` : `${countText(walked.size)} entries`}, all hashed again and give the root that was signed; last ${at(walked.at)}.${finding === null && before !== null ? ` Nothing of what this browser saw at ${at(before.at)} has changed.` : ''}${newer === 0 ? '' : ` ${countText(newer)} newer, not hashed yet.`}`}
          </p>
          <button type="button" onClick={() => void watch.checkAll()}>
            Verify all now
          </button>
        </div>
      </div>
      {watch.others.value.length === 0 ? null : (
        <p>
          <strong>This browser knew another ledger of this home:</strong>{' '}
          <span class="data">{watch.others.value.map((id) => plainText(id, 60)).join(', ')}</span>. If nobody
          began a new one, the record was replaced.
        </p>
      )}
      {finding === null ? (
        <p>
          If an entry were changed or missing, the top bar would say so, a notice and this page would name the
          entry, and all of them would go on saying so.
        </p>
      ) : null}
      {health === null ? null : (
        <p>
          {health.sealed === 0
            ? 'Nothing is sealed yet: whoever holds the first seal key could rewrite every entry. '
            : `The newest seal covers ${countText(health.sealed)} of ${countText(health.newest)} entries: whoever holds the next seal key could rewrite what lies behind it. `}
          {health.heads_log === '' ? (
            'The ledger has no memory outside of it.'
          ) : (
            <>
              The memory outside of the ledger, which <code>sub audit verify</code> holds against it, is{' '}
              <span class="data">{pathText(health.heads_log, 400)}</span>; this browser does not read it.
            </>
          )}
        </p>
      )}
      <p class="quiet">
        Entries are what is checked. A record that is opened is compared with its entries; lists, filters,
        counts, and texts that are kept beside an entry are shown as the gateway tells them.
      </p>
      <p class="quiet">
        This page comes from the gateway that it checks, and a gateway that was replaced can lie. Independent
        of it:
      </p>
      <Command text={page.command('sub audit verify')} copy={page.copy} />
      <p class="actions">
        <PlaceLink page={page} look="button" to={{ view: 'live', filter: 'is:widening' }}>
          What allowed more
        </PlaceLink>
        <PlaceLink page={page} look="button" to={{ view: 'live', filter: 'action:ui.session' }}>
          Sessions of pages
        </PlaceLink>
      </p>
      {head === null ? null : (
        <details>
          <summary>The signed head and its key</summary>
          <pre class="said" tabIndex={0}>
            {plainText(head.key, 400)}
            {'\n\n'}
            {head.note}
          </pre>
        </details>
      )}
    </section>
  );
}
