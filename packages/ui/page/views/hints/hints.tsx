import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { textAt } from '@subluminal/core-types/portable';
import {
  API,
  type Card,
  type Hints,
  type RecordDetail,
  type RecordsPage,
} from '../../../src/protocol/index.js';
import { useKeys } from '../../keys/use-keys.js';
import { CopyButton } from '../../parts/command.js';
import { plural } from '../../parts/figures.js';
import { MarkOf } from '../../parts/mark.js';
import { PlaceLink } from '../../parts/place-link.js';
import { plainText } from '../../parts/plain-text.js';
import { NotYet } from '../../parts/not-yet.js';
import type { Page } from '../../state/page.js';
import { markOf } from '../../parts/words.js';
import { useAnswer } from '../../state/use-answer.js';
import { useCalm } from '../../state/use-calm.js';
import { Promote } from '../record/promote.js';
import { RuleFor } from '../record/rule.js';

/** Calls of one hint that are shown. */
const MOST_CALLS = 20;
/** Refused calls whose objects are read for the list. */
const MOST_OBJECTS = 500;
/** Each entry of a busy run may bring a hint: so often it is asked at most. */
const EVERY_MS = 5000;

/** Hints that were given: by rule and tool, with how often. */
export function HintsView({ page }: { readonly page: Page }): JSX.Element {
  // Not at once behind an act: the card says for a while what came of it.
  const when = [useCalm(page.state.value?.head, EVERY_MS, page.now)];
  const answer = useAnswer(() => page.api.get<Hints>(API.hints), when);
  const refused = useAnswer(
    () => page.api.get<RecordsPage>(API.records, { f: 'decision:hinted', limit: MOST_OBJECTS }),
    when,
  );
  const objects = new Map(refused.value?.rows.map(({ object, seq }) => [seq, object ?? '']));
  const [open, setOpen] = useState('');
  const toggle = (name: string): void => setOpen(open === name ? '' : name);
  useKeys(page.keys, [{ keys: ['Escape'], says: 'back', run: () => page.places.back() }], []);
  const { value } = answer;
  if (value === null)
    return (
      <div class="page">
        <h1>Hints</h1>
        <NotYet answer={answer} />
      </div>
    );
  const groups = grouped(value.hints);
  return (
    <div class="page">
      <h1>{groups.length === 0 ? 'No hint can be promoted now' : 'Refused with a way on'}</h1>
      <p class="quiet">
        A rule that refuses with a hint tells the agent what to do instead. The hints of runs that go on stand
        here.
      </p>
      <div class="cards">
        {groups.map(({ key, rule, tool, cards, told }) => (
          <section class="card hint" key={key} aria-label={`${rule} on ${tool}`}>
            <h2>
              <MarkOf mark={markOf('REJECT_WITH_HINT')} /> <span class="data">{tool}</span>
            </h2>
            <p>
              <span class="quiet">Rule </span>
              <span class="data">{rule}</span>
              <span class="quiet">, {plural(cards.length, 'time')}</span>
            </p>
            {told.map(({ text, calls }) => (
              <div key={text} class="cards">
                <p class="said">{text}</p>
                <ul class="cards">
                  {calls.slice(0, MOST_CALLS).map((card) => (
                    <Call
                      key={nameOf(card)}
                      page={page}
                      card={card}
                      object={objects.get(card.seq ?? 0) ?? ''}
                      open={open}
                      toggle={toggle}
                      tool={tool}
                      rule={rule}
                    />
                  ))}
                </ul>
                {calls.length > MOST_CALLS ? (
                  <p class="quiet">{plural(calls.length - MOST_CALLS, 'older one')} more</p>
                ) : null}
              </div>
            ))}
          </section>
        ))}
      </div>
    </div>
  );
}

/** One call that got the hint, and the way to let it pass. */
function Call({
  page,
  card,
  object,
  open,
  toggle,
  tool,
  rule,
}: {
  readonly page: Page;
  readonly card: Card;
  readonly object: string;
  /** The name of the way that is open, of all calls. */
  readonly open: string;
  readonly toggle: (name: string) => void;
  readonly tool: string;
  readonly rule: string;
}): JSX.Element {
  const [forRun, byRule] = [`run ${nameOf(card)}`, `rule ${nameOf(card)}`];
  return (
    <li class="cards">
      {object === '' ? null : <span class="data">{plainText(object, 400)}</span>}
      <p class="actions">
        {card.run === null || card.seq === null || textAt(card.facts, 'promoted', 'ts') !== '' ? (
          <span class="quiet">promoted</span>
        ) : (
          <button type="button" aria-expanded={open === forRun} onClick={() => toggle(forRun)}>
            Let it pass for run {page.agents.named(card.run)}
          </button>
        )}
        {card.seq === null ? null : (
          <button type="button" aria-expanded={open === byRule} onClick={() => toggle(byRule)}>
            Let it pass by a rule
          </button>
        )}
        {card.seq === null ? null : (
          <PlaceLink page={page} look="button" to={{ view: 'record', id: String(card.seq) }}>
            Entry {card.seq}
          </PlaceLink>
        )}
        <CopyButton text={page.command(card.command)} copy={page.copy} />
      </p>
      {open === byRule && card.seq !== null ? <RuleFor page={page} seq={card.seq} /> : null}
      {open === forRun && card.run !== null && card.seq !== null ? (
        <PromoteCall page={page} card={card} run={card.run} seq={card.seq} tool={tool} rule={rule} />
      ) : null}
    </li>
  );
}

/** The call is read first: nothing is let pass that was not shown. */
function PromoteCall({
  page,
  card,
  run,
  seq,
  tool,
  rule,
}: {
  readonly page: Page;
  readonly card: Card;
  readonly run: string;
  readonly seq: number;
  readonly tool: string;
  readonly rule: string;
}): JSX.Element {
  const answer = useAnswer(() => page.api.get<RecordDetail>(`${API.record}/${seq}`), [seq]);
  const { value } = answer;
  if (value === null) return <NotYet answer={answer} says={`Reading entry ${seq}`} />;
  return (
    <Promote page={page} run={run} call={card.id} shown={card.shown} tool={tool} rule={rule} detail={value} />
  );
}

function nameOf(card: Card): string {
  return `${card.run ?? ''} ${card.id}`;
}

interface Group {
  readonly key: string;
  readonly rule: string;
  readonly tool: string;
  readonly cards: Card[];
  /** Its texts, each once, with the calls that got it. */
  readonly told: { readonly text: string; readonly calls: Card[] }[];
}

function grouped(cards: readonly Card[]): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const card of cards) {
    const rule = plainText(textAt(card.facts, 'rule_id'), 120);
    const tool = `${plainText(textAt(card.facts, 'server_name'), 60)}.${plainText(textAt(card.facts, 'tool_name'), 80)}`;
    const key = `${rule} ${tool}`;
    const group = groups.get(key) ?? { key, rule, tool, cards: [], told: [] };
    group.cards.push(card);
    const text = plainText(textAt(card.facts, 'hint', 'hint_text'), 2000);
    const same = group.told.find((one) => one.text === text);
    if (same === undefined) group.told.push({ text, calls: [card] });
    else same.calls.push(card);
    groups.set(key, group);
  }
  return [...groups.values()].toSorted((one, other) => other.cards.length - one.cards.length);
}
