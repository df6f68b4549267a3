import { useEffect, useMemo, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { listAt, textAt, valueAt } from '@subluminal/core-types/portable';
import type { Act, Card } from '../../../src/protocol/index.js';
import { Command, CopyButton } from '../../parts/command.js';
import { spanText } from '../../parts/figures.js';
import { plainLines, plainText } from '../../parts/plain-text.js';
import { EntryLink, PlaceLink } from '../../parts/place-link.js';
import { useAct } from '../../parts/use-act.js';
import type { Page } from '../../state/page.js';
import { objectOf, titleOf } from './asked.js';
import { comparedOf, type Compared } from './compared.js';
import { DefinitionView } from './definition.js';

/** A card that moved or changed is not pressed by accident: its buttons wait so long. */
const INERT_MS = 500;
/** Characters of what an agent reads of a no, as the gateway takes them. */
const MOST_SAID = 300;

/** One question: who asks, for what exactly, why it is asked, until when; then the answers. */
export function CardView({
  page,
  card,
  place,
  done,
}: {
  readonly page: Page;
  readonly card: Card;
  /** Another text whenever the card may stand elsewhere on the screen. */
  readonly place: string;
  readonly done: (says: string, entry: string) => void;
}): JSX.Element {
  const { ask, lock, problem } = useAct(page);
  const [settled, settle] = useState('');
  const [say, setSay] = useState('');
  const [isKept, setKept] = useState(false);
  const asIs = `${card.shown} ${place}`;
  // It is told while it is drawn: no press falls between a move and what follows from it.
  const isReady = settled === asIs;
  useEffect(() => {
    const timer = setTimeout(() => settle(asIs), INERT_MS);
    return () => clearTimeout(timer);
  }, [asIs]);
  const compared = useMemo(() => (card.kind === 'tool' ? comparedOf(card.facts) : null), [card.shown]);
  const canSayYes = compared === null || compared.canTake;
  const answer = (act: Act, says: string): void =>
    ask(
      act,
      says,
      ({ audit_ref }) => done(WORDS[act.act], audit_ref.split('.')[0] ?? ''),
      (code) => {
        if (code === 'changed') void page.readInbox();
      },
    );
  const { id, shown } = card;
  const yes: Act =
    card.kind === 'tool'
      ? {
          act: 'take',
          server: textAt(card.facts, 'server_name'),
          tool: textAt(card.facts, 'tool_name'),
          shown,
        }
      : { act: 'approve', id, for: 'once', shown };
  const raises = valueAt(card.facts, 'raises') === true;
  const yesSays =
    card.kind === 'tool'
      ? 'Take the new definition'
      : raises
        ? 'Approve the budget once more'
        : 'Approve once';
  // The keys of a card hold while the focus is in it, and ask once more: a finger slips.
  const pressed = (event: KeyboardEvent): void => {
    if (
      event.target instanceof HTMLInputElement ||
      !isReady ||
      page.state.value?.access === 'read' ||
      !page.keys.letters.value
    )
      return;
    if (event.key !== 'A' && event.key !== 'D') return;
    event.preventDefault();
    const act: Act = event.key === 'A' ? yes : { act: 'deny', id, say, shown };
    if (event.key === 'D' ? card.kind === 'tool' : !canSayYes) return;
    page.dialog.value = {
      kind: 'sure',
      title: event.key === 'A' ? 'Say yes?' : 'Say no?',
      says: act.act === 'deny' ? EFFECTS.deny : act.act === 'take' ? EFFECTS.take : yesEffect(card),
      does: () => answer(act, event.key === 'A' ? yesSays : 'Deny'),
    };
  };
  return (
    <article class="card" tabIndex={-1} data-open="" aria-label={titleOf(card)} onKeyDown={pressed}>
      <h2>
        <span class="mark" data-meaning="waits">
          <i aria-hidden="true">?</i>
          <span class="unseen">waits: </span>
        </span>{' '}
        {titleOf(card)}
      </h2>
      <Asked card={card} compared={compared} />
      <Meta page={page} card={card} />
      {card.kind === 'tool' ? null : (
        <p class="quiet">
          {card.kind === 'question' && !raises ? `${yesEffect(card)} ${EFFECTS.approveRun}` : yesEffect(card)}
        </p>
      )}
      {page.state.value?.access === 'read' ? (
        <div class="actions">
          <CopyButton text={page.command(card.command)} copy={page.copy} />
        </div>
      ) : isKept ? (
        <p class="actions" role="status">
          It stays held: its calls are refused.
          <button type="button" onClick={() => setKept(false)}>
            Decide after all
          </button>
        </p>
      ) : (
        (lock ?? (
          <div class="actions">
            {card.kind === 'tool' ? (
              <button type="button" disabled={!isReady} onClick={() => setKept(true)}>
                Keep it held
              </button>
            ) : (
              <>
                <button
                  type="button"
                  disabled={!isReady}
                  onClick={() => answer({ act: 'deny', id, say, shown }, 'Deny')}
                >
                  Deny
                </button>
                {card.kind === 'question' ? (
                  <input
                    type="text"
                    maxLength={MOST_SAID}
                    aria-label="What the agent reads of a no"
                    placeholder="with a no: what to do instead"
                    value={say}
                    onInput={(event) => setSay(event.currentTarget.value)}
                  />
                ) : null}
              </>
            )}
            {canSayYes ? (
              <button
                type="button"
                class={card.kind === 'tool' ? '' : 'main'}
                disabled={!isReady}
                onClick={() => answer(yes, yesSays)}
              >
                {yesSays}
              </button>
            ) : (
              <span>
                It cannot be taken here, where not all that changed is shown. A terminal shows it:{' '}
                <Command text={page.command(card.command)} copy={page.copy} />
              </span>
            )}
            {card.kind === 'question' && !raises ? (
              <button
                type="button"
                disabled={!isReady}
                onClick={() => answer({ act: 'approve', id, for: 'run', shown }, FOR_RUN)}
              >
                {FOR_RUN}
              </button>
            ) : null}
            {canSayYes ? <CopyButton text={page.command(card.command)} copy={page.copy} /> : null}
          </div>
        ))
      )}
      {problem}
    </article>
  );
}

const FOR_RUN = 'Approve for this run';

const WORDS: Readonly<Record<Act['act'], string>> = {
  approve: 'approved',
  deny: 'denied',
  take: 'taken',
  promote: 'promoted',
  'layer-commit': 'taken over',
  'layer-discard': 'thrown away',
  rule: 'written',
  reload: 'put in force',
  panic: 'stopped',
  resume: 'resumed',
};

const EFFECTS = {
  approve:
    'Approved once, the same call passes once, within 15 minutes, unless the policy has a rule by then that refuses it; that cannot be taken back once it was used.',
  approveRun: 'Approved for this run, the same call passes until the run ends.',
  action:
    'A yes lets the next attempt with the same content through, once. It cannot be taken back once it was used.',
  raise: 'A yes lets the budget hold once more until the run ends, for every call that it counts.',
  deny: 'A no refuses the same call until the run ends.',
  take: 'Calls of this tool pass again, under the definition that is shown here.',
} as const;

/** The reach of a yes, as its line and its dialog say it alike. */
function yesEffect({ facts, kind }: Card): string {
  if (valueAt(facts, 'raises') === true) return EFFECTS.raise;
  return kind === 'action' ? EFFECTS.action : EFFECTS.approve;
}

/** The object of the question, exactly. */
function Asked({ card, compared }: { readonly card: Card; readonly compared: Compared | null }): JSX.Element {
  const { kind, facts } = card;
  if (compared !== null) return <DefinitionView facts={facts} compared={compared} />;
  const object = objectOf(card);
  const cut = kind === 'question' && valueAt(facts, 'whole') === false;
  return (
    <>
      {object === '' ? null : <pre class="said">{plainLines(object, object.length)}</pre>}
      {cut ? <p class="quiet">This is a part of it: the record has the rest as a hash alone.</p> : null}
      {textAt(facts, 'why') === '' ? null : (
        <p>
          <span class="quiet">Why it asks: </span>
          {plainText(textAt(facts, 'why'), 2000)}
        </p>
      )}
    </>
  );
}

function Meta({ page, card }: { readonly page: Page; readonly card: Card }): JSX.Element {
  const { facts, run, seq, expires } = card;
  const flags = listAt(facts, 'flags');
  const folder = run === null ? '' : page.agents.folder(run);
  const pairs: readonly (readonly [string, JSX.Element | string])[] = [
    ...(run === null
      ? []
      : [
          [
            'Run',
            <PlaceLink page={page} look="" to={{ view: 'run', id: run }}>
              {page.agents.named(run)}
            </PlaceLink>,
          ] as const,
          ...(folder === '' ? [] : [['Folder', plainText(folder, 400)] as const]),
        ]),
    ...(textAt(facts, 'client') === '' ? [] : [['Client', plainText(textAt(facts, 'client'), 80)] as const]),
    ...(textAt(facts, 'rule_id') === '' ? [] : [['Rule', plainText(textAt(facts, 'rule_id'), 120)] as const]),
    ...(textAt(facts, 'payload_hash') === ''
      ? []
      : [['Content', `sha256 ${plainText(textAt(facts, 'payload_hash'), 64)}`] as const]),
    ...(textAt(facts, 'hash') === ''
      ? []
      : [['Definition', `sha256 ${plainText(textAt(facts, 'hash'), 64)}`] as const]),
    ...(flags.length === 0
      ? []
      : [
          [
            'Unusual',
            flags
              .map((flag) => plainText(typeof flag === 'string' ? flag : textAt(flag, 'kind'), 60))
              .join(', '),
          ] as const,
        ]),
    ...(expires === null
      ? []
      : [
          [
            'Until',
            `${page.clock.value.time(expires)}, in ${spanText(Math.max(0, expires - page.now()))}`,
          ] as const,
        ]),
    ...(seq === null ? [] : [['Entry', <EntryLink page={page} seq={seq} />] as const]),
    ...(textAt(facts, 'held_at') === ''
      ? []
      : [['Held since', page.clock.value.full(Date.parse(textAt(facts, 'held_at')))] as const]),
  ];
  return (
    <dl class="facts">
      {pairs.map(([name, value]) => (
        <>
          <dt>{name}</dt>
          <dd class="data">{value}</dd>
        </>
      ))}
    </dl>
  );
}
