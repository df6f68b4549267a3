import type { ComponentChildren, JSX } from 'preact';
import type { Page } from '../state/page.js';
import { addressOf, type Place } from '../state/place.js';

/** A link to another view: the page goes there by itself, and a browser may open it in another tab. */
export function PlaceLink({
  page,
  look,
  to,
  current = false,
  label,
  children,
}: {
  readonly page: Page;
  /** Its class: empty for a link among words, `button` for one among buttons. */
  readonly look: string;
  readonly to: Pick<Place, 'view'> & Partial<Place>;
  /** It leads to where the page is. */
  readonly current?: boolean;
  /** Its name, if what stands in it says too little. */
  readonly label?: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  const place = { id: '', filter: '', open: null, against: null, ...to };
  return (
    <a
      class={look}
      href={addressOf(place)}
      aria-label={label}
      aria-current={current ? 'page' : undefined}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
        event.preventDefault();
        page.places.go(place);
      }}
    >
      {children}
    </a>
  );
}

/** A link to an entry of the record. */
export function EntryLink({
  page,
  seq,
}: {
  readonly page: Page;
  readonly seq: number | string;
}): JSX.Element {
  return (
    <PlaceLink page={page} look="" to={{ view: 'record', id: String(seq) }}>
      entry {seq}
    </PlaceLink>
  );
}
