import { useEffect, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { textAt } from '@subluminal/core-types/portable';
import type { Card } from '../../../src/protocol/index.js';
import { useKeys } from '../../keys/use-keys.js';
import { Command } from '../../parts/command.js';
import { plural } from '../../parts/figures.js';
import { EntryLink } from '../../parts/place-link.js';
import { plainText } from '../../parts/plain-text.js';
import { Problem } from '../../parts/problem.js';
import type { Page } from '../../state/page.js';
import { objectOf, titleOf } from './asked.js';
import { CardView } from './card.js';

/** Answered cards stay so long, with the number of their entry. */
const STAYS_MS = 10_000;

const nameOf = ({ kind, id }: Card): string => `${kind} ${id}`;

/** All that waits for a person, each with what exactly is asked. */
export function InboxView({ page }: { readonly page: Page }): JSX.Element {
  const inbox = page.inbox.value;
  const [answered, setAnswered] = useState<
    readonly { readonly card: Card; readonly says: string; readonly entry: string }[]
  >([]);
  const state = page.state.value;
  // The state counts the cards that wait: other entries are no reason to read all of them.
  useEffect(() => void page.readInbox(), [state?.waiting, state?.policy.problem]);
  const open = (inbox?.cards ?? []).filter((card) => card.open && card.kind !== 'hint');
  const held = (inbox?.cards ?? []).filter((card) => !card.open && card.kind !== 'hint');
  const done = (card: Card, says: string, entry: string): void => {
    setAnswered((all) => [...all, { card, says, entry }]);
    setTimeout(() => setAnswered((all) => all.filter((one) => one.card !== card)), STAYS_MS);
    void page.readInbox();
    page.say(`${titleOf(card)} ${says}: entry ${entry}`);
  };
  // All that stands above every card. A state that is not there yet shows nothing.
  const above = [
    ...answered.map(({ card }) => `done ${card.id}`),
    page.watch.finding.value !== null,
    page.feed.lostSince.value !== null,
    page.feed.isOther.value,
    (state?.panicked ?? null) !== null,
    (state?.policy.problem ?? inbox?.policy_problem ?? null) !== null,
    (state?.unlocked_until ?? null) !== null,
  ];
  const focus = (by: number): void => {
    const cards = [...document.querySelectorAll<HTMLElement>('article.card[data-open]')];
    const at = cards.findIndex((card) => card.contains(document.activeElement));
    cards[Math.max(0, Math.min(cards.length - 1, at < 0 ? 0 : at + by))]?.focus();
  };
  useKeys(
    page.keys,
    [
      { keys: ['j', 'ArrowDown'], says: 'next card', isCommon: true, run: () => focus(1) },
      { keys: ['k', 'ArrowUp'], says: 'card before', isCommon: true, run: () => focus(-1) },
      { keys: ['Escape'], says: 'back', run: () => page.places.back() },
    ],
    [],
  );
  const problem =
    page.inboxProblem.value === null ? null : (
      <Problem refused={page.inboxProblem.value} again={() => void page.readInbox()} />
    );
  if (inbox === null)
    return (
      <div class="page">
        <h1>Inbox</h1>
        {problem ?? <p class="quiet">Reading</p>}
      </div>
    );
  const { omitted } = inbox;
  return (
    <div class="page">
      <h1>{open.length === 0 ? 'Nothing waits for you' : `${open.length + omitted} wait for you`}</h1>
      <Outside page={page} />
      {problem}
      {inbox.policy_problem === null ? null : (
        <section>
          <h2>The policy file is not in force</h2>
          <p class="said">{plainText(inbox.policy_problem, 4000)}</p>
        </section>
      )}
      <div class="cards">
        {answered.map(({ card, says, entry }) => (
          <article class="card" key={`done ${card.id}`} data-done="">
            <p role="status">
              <AskedLine page={page} card={card} /> {says}: <EntryLink page={page} seq={entry} />
            </p>
          </article>
        ))}
        {open.map((card, index) => (
          <CardView
            key={nameOf(card)}
            page={page}
            card={card}
            place={[...above, ...open.slice(0, index).map(nameOf)].join()}
            done={(says, entry) => done(card, says, entry)}
          />
        ))}
      </div>
      {omitted === 0 ? null : (
        <p>
          No room here for {plural(omitted, 'more held tool')}. A terminal lists all of them:{' '}
          <Command text={page.command('sub tools list')} copy={page.copy} />
        </p>
      )}
      {open.length === 0 && answered.length === 0 ? (
        <p class="quiet">Questions of calls, waiting actions and held tools stand here as they come.</p>
      ) : null}
      {held.length === 0 ? null : (
        <section>
          <h2>Answered, and in force still</h2>
          <ul>
            {held.map((card) => (
              <li key={`${card.kind} ${card.id}`}>
                <AskedLine page={page} card={card} /> <span class="quiet">{stateOf(page, card)}</span>
                {card.passed === null ? null : (
                  <>
                    , let pass <EntryLink page={page} seq={card.passed} />
                  </>
                )}
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

/** The switch of notifications. */
function Outside({ page }: { readonly page: Page }): JSX.Element | null {
  const { can, isOn } = page.outside;
  if (can.value === 'no') return null;
  if (can.value === 'refused')
    return <p class="quiet">The settings of this browser forbid notifications of this page.</p>;
  return (
    <p>
      <label>
        <input
          type="checkbox"
          checked={isOn.value}
          onChange={(event) => void page.outside.turn(event.currentTarget.checked)}
        />{' '}
        Tell me by a notification when this window is not in front
      </label>
    </p>
  );
}

/** The question of a card in one line: its tool and the target, and the entry of the call that asked. */
function AskedLine({ page, card }: { readonly page: Page; readonly card: Card }): JSX.Element {
  const object = objectOf(card);
  return (
    <>
      <strong>{titleOf(card)}</strong>
      {object === '' ? null : <span class="data"> {plainText(object, 160)}</span>}
      {card.seq === null ? null : (
        <>
          {' '}
          (<EntryLink page={page} seq={card.seq} />)
        </>
      )}
    </>
  );
}

/** How it was answered, and until when that holds: nothing takes an answer back before. */
function stateOf(page: Page, { expires, facts }: Card): string {
  const state = textAt(facts, 'state');
  return state === 'run'
    ? 'approved for this run: holds until the run ends'
    : state === 'once'
      ? `approved once: holds until it is used${expires === null ? '' : `, or ${page.clock.value.time(expires)}`}`
      : `${plainText(state, 40)}: holds until the run ends`;
}
