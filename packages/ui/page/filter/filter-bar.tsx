import { useRef, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { useKeys } from '../keys/use-keys.js';
import { API } from '../../src/protocol/index.js';
import { Refused } from '../wire/api.js';
import { CopyButton } from '../parts/command.js';
import { countText } from '../parts/figures.js';
import { plainText } from '../parts/plain-text.js';
import type { Page } from '../state/page.js';
import { chipsOf, KNOWN, queryCommand, withoutTerm, withTerms, WORDS } from './terms.js';

/** The filter: chips of what is in force, a field for more, and the same as a command. */
export function FilterBar({
  page,
  names,
}: {
  readonly page: Page;
  readonly names: () => readonly string[];
}): JSX.Element {
  const { filter } = page.places.now.value;
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState('');
  const [picked, pick] = useState(-1);
  const [isOpen, setOpen] = useState(false);
  const [mistake, setMistake] = useState<string | null>(null);
  const bad = mistake ?? page.feed.badFilter.value;
  const set = (next: string): void => page.places.amend({ filter: next });
  useKeys(
    page.keys,
    [
      { keys: ['/'], says: 'filter', isCommon: true, run: () => field.current?.focus() },
      { keys: ['c'], says: 'clear the filter', run: () => set('') },
    ],
    [],
  );
  const offers = isOpen ? offersFor(typed, names) : [];
  const take = (offer: string): void => {
    pick(-1);
    if (offer.endsWith(':')) return setTyped(offer);
    setTyped('');
    return set(withTerms(filter, offer));
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    const offer = offers[picked];
    if (offer !== undefined) return take(offer[0]);
    if (typed.trim() !== '') void apply(withTerms(filter, typed));
    return undefined;
  };
  /** A text that cannot be read stays in the field: the gateway alone knows each word that a key takes. */
  const apply = async (next: string): Promise<void> => {
    try {
      await page.api.get(API.records, { f: next, after: Number.MAX_SAFE_INTEGER, limit: 1 });
    } catch (error) {
      if (error instanceof Refused && error.code === 'usage') return setMistake(error.message);
    }
    setTyped('');
    // The list would lie over the rows that were asked for.
    setOpen(false);
    return set(next);
  };
  const pressed = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      setOpen(true);
      const by = event.key === 'ArrowDown' ? 1 : -1;
      pick(Math.max(-1, Math.min(offers.length - 1, picked + by)));
    } else if (event.key === 'Escape') {
      event.preventDefault();
      event.stopPropagation();
      if (offers.length > 0) setOpen(false);
      else field.current?.blur();
    } else if (event.key === 'Backspace' && typed === '') {
      const chips = chipsOf(filter);
      event.preventDefault();
      setTyped(chips.at(-1)?.text ?? '');
      set(withoutTerm(filter, chips.length - 1));
    }
  };
  const command = queryCommand(filter);
  const leftOut = page.feed.leftOut.value;
  return (
    <search class="filter">
      <div class="chips">
        {chipsOf(filter).map((term, index) => (
          <button
            key={term.text}
            type="button"
            class="chip"
            data-bad={page.feed.badFilter.value === null && term.mistake === null ? undefined : ''}
            aria-label={`Remove ${term.text}`}
            onClick={() => set(withoutTerm(filter, index))}
          >
            <span>{plainText(term.text, 80)}</span>
            <span aria-hidden="true">×</span>
          </button>
        ))}
      </div>
      <form onSubmit={submit}>
        <input
          ref={field}
          type="text"
          role="combobox"
          aria-label="Filter"
          aria-expanded={offers.length > 0}
          aria-controls="filter-offers"
          aria-activedescendant={picked >= 0 ? `offer-${picked}` : undefined}
          aria-autocomplete="list"
          autocomplete="off"
          spellcheck={false}
          placeholder="Filter: is:refused  server:github  -tool:list_*"
          value={typed}
          onFocus={() => setOpen(true)}
          onBlur={() => setOpen(false)}
          onInput={(event) => {
            setTyped(event.currentTarget.value);
            setMistake(null);
            setOpen(true);
            pick(-1);
          }}
          onKeyDown={pressed}
        />
      </form>
      {bad === null ? null : (
        <span role="alert" class="mark" data-meaning="refused">
          {plainText(bad)}
        </span>
      )}
      {leftOut === 0 ? null : (
        <span class="quiet">{countText(leftOut)} left out: too little is kept of them to tell</span>
      )}
      <span class="wide">
        {command === null ? null : <CopyButton text={page.command(command)} copy={page.copy} />}
      </span>
      <ul
        id="filter-offers"
        class="complete"
        role="listbox"
        aria-label="Words of the filter"
        hidden={offers.length === 0}
      >
        {offers.map(([text, says], index) => (
          <li
            key={text}
            id={`offer-${index}`}
            role="option"
            aria-selected={index === picked}
            onMouseDown={(event) => {
              event.preventDefault();
              take(text);
              field.current?.focus();
            }}
          >
            {plainText(text, 80)} <span class="quiet">{says}</span>
          </li>
        ))}
      </ul>
    </search>
  );
}

const MOST_OFFERS = 12;

function offersFor(typed: string, names: () => readonly string[]): readonly (readonly [string, string])[] {
  const wanted = typed.startsWith('-') ? typed.slice(1) : typed;
  const sign = typed.startsWith('-') ? '-' : '';
  const terms = wanted.includes(':') ? [...KNOWN, ...names().map((name) => [name, ''] as const)] : WORDS;
  return terms
    .filter(([text]) => text.toLowerCase().startsWith(wanted.toLowerCase()) && text !== wanted)
    .slice(0, MOST_OFFERS)
    .map(([text, says]) => [`${sign}${text}`, says] as const);
}
