import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { textAt } from '@subluminal/core-types/portable';
import { API, type Card, type Hints } from '../../../src/protocol/index.js';
import { useKeys } from '../../keys/use-keys.js';
import { CopyButton } from '../../parts/command.js';
import { plural } from '../../parts/figures.js';
import { plainText } from '../../parts/plain-text.js';
import { Problem } from '../../parts/problem.js';
import type { Page } from '../../state/page.js';
import { useAnswer } from '../../state/use-answer.js';
import { shortRun } from '../live/row.js';
import { Promote } from '../record/promote.js';

/** Hints that were given: by rule and tool, with how often. */
export function HintsView({ page }: { readonly page: Page }): JSX.Element {
  const { value, problem } = useAnswer(() => page.api.get<Hints>(API.hints), [page.state.value?.head]);
  const [open, setOpen] = useState('');
  useKeys(page.keys, [{ keys: ['Escape'], says: 'back', run: () => page.places.back() }], []);
  if (value === null)
    return (
      <div class="page">
        {problem === null ? <p class="quiet">Reading</p> : <Problem refused={problem} />}
      </div>
    );
  const groups = grouped(value.hints);
  return (
    <div class="page">
      <h1>{groups.length === 0 ? 'No hint can be promoted now' : 'Refused with a way on'}</h1>
      {groups.length === 0 ? (
        <p class="quiet">
          A rule that refuses with a hint tells the agent what to do instead. The hints of runs that go on
          stand here.
        </p>
      ) : null}
      <div class="cards">
        {groups.map(({ key, rule, tool, cards }) => (
          <section class="card hint" key={key} aria-label={`${rule} on ${tool}`}>
            <h2>
              <span class="mark" data-meaning="hint">
                <i aria-hidden="true">↩</i>HINT
              </span>{' '}
              <span class="data">{tool}</span>
            </h2>
            <p>
              <span class="quiet">Rule </span>
              <span class="data">{rule}</span>
              <span class="quiet">, {plural(cards.length, 'time')}</span>
            </p>
            {cards.slice(0, 20).map((card) => {
              const name = `${card.run ?? ''} ${card.id}`;
              const isOpen = open === name;
              return (
                <div key={name} class="cards">
                  <p class="said">{plainText(textAt(card.facts, 'hint', 'hint_text'), 2000)}</p>
                  <p class="actions">
                    {card.run === null || textAt(card.facts, 'promoted', 'ts') !== '' ? (
                      <span class="quiet">promoted</span>
                    ) : (
                      <button
                        type="button"
                        aria-expanded={isOpen}
                        onClick={() => setOpen(isOpen ? '' : name)}
                      >
                        Let it pass for run {shortRun(card.run)}
                      </button>
                    )}
                    {card.seq === null ? null : (
                      <button
                        type="button"
                        onClick={() => page.places.go({ view: 'record', id: String(card.seq) })}
                      >
                        Entry {card.seq}
                      </button>
                    )}
                    <CopyButton text={card.command} copy={page.copy} says="Copy command" />
                  </p>
                  {isOpen && card.run !== null ? (
                    <Promote
                      page={page}
                      run={card.run}
                      call={card.id}
                      shown={card.shown}
                      tool={tool}
                      rule={rule}
                    />
                  ) : null}
                </div>
              );
            })}
          </section>
        ))}
      </div>
    </div>
  );
}

interface Group {
  readonly key: string;
  readonly rule: string;
  readonly tool: string;
  readonly cards: Card[];
}

function grouped(cards: readonly Card[]): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const card of cards) {
    const rule = plainText(textAt(card.facts, 'rule_id'), 120);
    const tool = `${plainText(textAt(card.facts, 'server_name'), 60)}.${plainText(textAt(card.facts, 'tool_name'), 80)}`;
    const key = `${rule} ${tool}`;
    const group = groups.get(key) ?? { key, rule, tool, cards: [] };
    group.cards.push(card);
    groups.set(key, group);
  }
  return [...groups.values()].toSorted((one, other) => other.cards.length - one.cards.length);
}
