import { useRef } from 'preact/hooks';
import type { JSX } from 'preact';
import type { RunRow } from '../../../src/protocol/index.js';
import { useKeys } from '../../keys/use-keys.js';
import { countText } from '../../parts/figures.js';
import type { Page } from '../../state/page.js';

/** As in the filter of the record. */
const MOST = 1000;

/** The runs that have every word somewhere: in their agent, client, folder, state, workload or id. */
export function withWords<Run extends RunRow>(runs: readonly Run[], typed: string): readonly Run[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return runs;
  return runs.filter(({ agent, client, env, folder, run, state }) => {
    const text = [agent, client, env, folder ?? '', run, state].join('\n').toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** The field for these words, which stand in the address. `found`: the runs that fit, `of` those looked at. */
export function Words({
  page,
  found,
  of,
}: {
  readonly page: Page;
  readonly found: number;
  readonly of: number;
}): JSX.Element {
  const { filter } = page.places.now.value;
  const field = useRef<HTMLInputElement>(null);
  useKeys(
    page.keys,
    [
      { keys: ['/'], says: 'filter', isCommon: true, run: () => field.current?.focus() },
      { keys: ['c'], says: 'clear the filter', run: () => page.places.amend({ filter: '' }) },
    ],
    [],
  );
  return (
    <search class="filter">
      <form onSubmit={(event) => event.preventDefault()}>
        <input
          ref={field}
          type="text"
          aria-label="Filter runs"
          autocomplete="off"
          spellcheck={false}
          maxLength={MOST}
          placeholder="Filter: an agent, a folder, a state"
          value={filter}
          onInput={(event) => page.places.amend({ filter: event.currentTarget.value })}
          onKeyDown={(event) => {
            if (event.key === 'Escape') field.current?.blur();
          }}
        />
      </form>
      {filter === '' ? null : (
        <span role="status">
          {countText(found)} of {countText(of)} looked at
        </span>
      )}
    </search>
  );
}
