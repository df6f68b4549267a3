import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { addressOf, placeOf, placesOf } from '../../../packages/ui/page/state/place.js';
import { TABS, VIEWS, type View } from '../../../packages/ui/page/state/views.js';

const INDEX = fileURLToPath(new URL('../../../packages/ui/page/index.html', import.meta.url));

/** The history of a tab, as far as the page uses it. */
class Tab extends EventTarget {
  readonly #entries: { state: unknown; url: string }[];
  #at = 0;
  constructor(url: string) {
    super();
    this.#entries = [{ state: null, url }];
  }
  get location(): { href: string } {
    return { href: new URL(this.#entries[this.#at]?.url ?? '', 'http://localhost').href };
  }
  get history(): Pick<History, 'state' | 'pushState' | 'replaceState' | 'back' | 'forward'> {
    const move = (by: number): void => {
      this.#at = Math.max(0, Math.min(this.#entries.length - 1, this.#at + by));
      this.dispatchEvent(new Event('popstate'));
    };
    return {
      state: this.#entries[this.#at]?.state,
      pushState: (state, _title, url) => {
        this.#entries.splice(this.#at + 1, Number.POSITIVE_INFINITY, { state, url: String(url) });
        this.#at += 1;
      },
      replaceState: (state, _title, url) => {
        this.#entries[this.#at] = { state, url: String(url) };
      },
      back: () => move(-1),
      forward: () => move(1),
    };
  }
}

const tabAt = (url: string) => {
  const tab = new Tab(url);
  return { tab, places: placesOf(tab as never) };
};

it('a record that is closed after Back and Forward leads to the filter that it was opened from', () => {
  const { tab, places } = tabAt('/ui/?f=is:refused');
  places.go({ view: 'record', id: '7' });
  tab.history.back();
  tab.history.forward();
  expect(places.now.value).toMatchObject({ view: 'record', id: '7' });
  places.back();
  expect(places.now.value).toMatchObject({ view: 'live', filter: 'is:refused' });
});

it('a record is closed to where it was opened from, also after its address changed and was loaded again', () => {
  const { tab, places } = tabAt('/ui/?f=is:refused');
  places.go({ view: 'record', id: '7' });
  places.amend({ against: 9 });
  const loaded = placesOf(tab as never);
  loaded.back();
  expect(loaded.now.value).toMatchObject({ view: 'live', filter: 'is:refused' });
});

it('a record that is the first of its tab is closed to Live, and the tab is not left', () => {
  const { tab, places } = tabAt('/ui/record/7');
  places.back();
  expect(places.now.value).toMatchObject({ view: 'live' });
  tab.history.back();
  expect(places.now.value).toMatchObject({ view: 'record', id: '7' });
  places.back();
  expect(places.now.value).toMatchObject({ view: 'live' });
});

it('the document brings the tabs of the one list of views, each behind a key of its own', () => {
  const brought = [...readFileSync(INDEX, 'utf8').matchAll(/<a href="([^"]*)">(\w+)</g)];
  const place = { id: '', filter: '', open: null };
  expect(brought.map(([, href, word]) => [href, word])).toEqual(
    TABS.map((view) => [addressOf({ view, ...place }), VIEWS[view].title]),
  );
  expect(TABS.map((view) => VIEWS[view].key)).toEqual(['l', 'r', 'w', 'i', 'h', 'p', 'v']);
});

it('the title, the tab and the address of each view are of one list', () => {
  for (const view of Object.keys(VIEWS) as readonly View[]) {
    const id = VIEWS[view].path.endsWith('/') ? 'x' : '';
    const address = addressOf({ view, id, filter: '', open: null });
    expect(placeOf(new URL(address, 'http://localhost'))).toMatchObject({ view, id });
    expect(TABS).toContain(VIEWS[view].under ?? view);
  }
});
