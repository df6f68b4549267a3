/** The views of the page, each under its own path. */
export type View =
  | 'live'
  | 'record'
  | 'runs'
  | 'run'
  | 'worlds'
  | 'world'
  | 'inbox'
  | 'hints'
  | 'policy'
  | 'health';

/** The one list of views: addresses, tabs, titles, keys and `Go to` are read off it. */
export const VIEWS: Readonly<
  Record<
    View,
    {
      /** Below `/ui/`. A view of one thing has its id behind the stroke. */
      readonly path: string;
      readonly title: string;
      /** Leads to it behind `g`. A view without one has no tab. */
      readonly key?: string;
      /** The tab of such a view: that of the list that leads to it. */
      readonly under?: View;
    }
  >
> = {
  live: { path: '', title: 'Live', key: 'l' },
  record: { path: 'record/', title: 'Record', under: 'live' },
  runs: { path: 'runs', title: 'Runs', key: 'r' },
  run: { path: 'runs/', title: 'Run', under: 'runs' },
  worlds: { path: 'worlds', title: 'Worlds', key: 'w' },
  world: { path: 'worlds/', title: 'World', under: 'worlds' },
  inbox: { path: 'inbox', title: 'Inbox', key: 'i' },
  hints: { path: 'hints', title: 'Hints', key: 'h' },
  policy: { path: 'policy', title: 'Policy', key: 'p' },
  health: { path: 'health', title: 'Health', key: 'v' },
};

/** All of them, in the order of the list. */
export const NAMES = Object.keys(VIEWS) as readonly View[];
/** Those with a tab of their own. */
export const TABS = NAMES.filter((view) => VIEWS[view].key !== undefined);
