import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { Row } from '../../../src/protocol/index.js';
import type { Page } from '../../state/page.js';
import { asRefused } from '../../wire/api.js';
import { callBefore, mark } from './comparing.js';

/** The ways from a call to a comparison with another one. */
export function CompareButtons({ page, row }: { readonly page: Page; readonly row: Row }): JSX.Element {
  const [told, tell] = useState('');
  const marked = page.marked.value;
  const against = (seq: number): void => page.places.amend({ against: seq });
  const withBefore = async (): Promise<void> => {
    try {
      const before = await callBefore(page, row);
      if (before === null) tell('None found before it');
      else against(before);
    } catch (error) {
      tell(asRefused(error).message);
    }
  };
  return (
    <>
      <button type="button" disabled={told !== ''} onClick={() => void withBefore()}>
        {told === '' ? 'Compare with the one before' : told}
      </button>
      {marked === null || marked === row.seq ? null : (
        <button type="button" onClick={() => against(marked)}>
          Compare with entry {marked}
        </button>
      )}
      <button type="button" aria-pressed={marked === row.seq} onClick={() => mark(page, row.seq)}>
        Mark
      </button>
    </>
  );
}
