import { MAX_FILTER } from '../../../records/src/filter/parse.js';
import { signal, type ReadonlySignal } from '@preact/signals';
import { NAMES, VIEWS, type View } from './views.js';

/**
 * Where the page is. All of it stands in the address, which leads here again: loaded anew, and in another tab
 * of a browser that has a session. How a list is sorted, what is unfolded and how far it was scrolled do not.
 */
export interface Place {
  readonly view: View;
  /** The run of `run`, the entry of `record`, the layer of `world`; empty elsewhere. */
  readonly id: string;
  /** The filter, as it is typed; of `world` the file whose lines are open. */
  readonly filter: string;
  /** The entry that is open beside the list, or null. */
  readonly open: number | null;
  /** The entry that the open one is compared with, or null. */
  readonly against: number | null;
}

const ROOT = '/ui/';

function idOf(view: View, id: string): string {
  return VIEWS[view].path.endsWith('/') ? id : '';
}

/** Reads an address; one that names no view is Live. */
export function placeOf(url: URL): Place {
  const [name = '', id = ''] = url.pathname.slice(ROOT.length).split('/');
  const of = (path: string): View | undefined => NAMES.find((one) => VIEWS[one].path === path);
  const view = (id === '' ? undefined : of(`${name}/`)) ?? of(name) ?? 'live';
  const entry = (key: string): number | null => {
    const seq = Number(url.searchParams.get(key) ?? Number.NaN);
    return Number.isSafeInteger(seq) && seq > 0 ? seq : null;
  };
  return {
    view,
    id: idOf(view, decoded(id)),
    // One sign more than is read, so that what is cut off is a mistake that is told.
    filter: (url.searchParams.get('f') ?? '').slice(0, MAX_FILTER + 1),
    open: entry('open'),
    against: entry('with'),
  };
}

/** Writes the address of a place, without its origin. */
export function addressOf({
  view,
  id,
  filter,
  open,
  against = null,
}: Omit<Place, 'against'> & Partial<Place>): string {
  const query = new URLSearchParams();
  if (filter !== '') query.set('f', filter);
  if (open !== null) query.set('open', String(open));
  if (against !== null) query.set('with', String(against));
  const text = query.toString();
  return `${ROOT}${VIEWS[view].path}${encodeURIComponent(idOf(view, id))}${text === '' ? '' : `?${text}`}`;
}

/** The place of the page, and the ways to another one. */
export interface Places {
  readonly now: ReadonlySignal<Place>;
  /** Goes to another view: a step that the browser's Back undoes. */
  go(place: Partial<Place>): void;
  /** Changes the address without a step. */
  amend(place: Partial<Place>): void;
  /** Goes where the page was before, in this tab; to Live if this is the first place of it. */
  back(): void;
}

/** Follows the address of the window, and writes it. */
export function placesOf(window: Window): Places {
  const now = signal(placeOf(new URL(window.location.href)));
  // The browser keeps it with each entry of its history: Back and Forward look alike to a page.
  const steps = (): number => Number(window.history.state) || 0;
  window.addEventListener('popstate', () => {
    now.value = placeOf(new URL(window.location.href));
  });
  const next = (change: Partial<Place>): Place => {
    const moved = change.view !== undefined && change.view !== now.value.view;
    const rest = moved ? { id: '', filter: '', open: null } : {};
    const place = { ...now.value, ...rest, ...change };
    // A comparison is of what was open: another record begins without one.
    const isSame = !moved && place.id === now.value.id && place.open === now.value.open;
    return isSame ? place : { ...place, against: change.against ?? null };
  };
  return {
    now,
    go(change) {
      const place = next(change);
      if (addressOf(place) === addressOf(now.value)) return;
      window.history.pushState(steps() + 1, '', addressOf(place));
      now.value = place;
    },
    amend(change) {
      const place = next(change);
      if (addressOf(place) === addressOf(now.value)) return;
      window.history.replaceState(steps(), '', addressOf(place));
      now.value = place;
    },
    back() {
      if (steps() > 0) window.history.back();
      else this.go({ view: 'live' });
    },
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
