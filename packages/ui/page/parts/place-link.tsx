import type { ComponentChildren, JSX } from 'preact';
import type { Page } from '../state/page.js';
import { addressOf, type Place } from '../state/place.js';

/** A link to another view: the page goes there by itself, and a browser may open it in another tab. */
export function PlaceLink({
  page,
  look,
  to,
  current = false,
  children,
}: {
  readonly page: Page;
  readonly look: string;
  readonly to: Pick<Place, 'view'> & Partial<Place>;
  /** It leads to where the page is. */
  readonly current?: boolean;
  readonly children: ComponentChildren;
}): JSX.Element {
  const place = { id: '', filter: '', open: null, ...to };
  return (
    <a
      class={look}
      href={addressOf(place)}
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
