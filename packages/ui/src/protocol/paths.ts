/** Everything of the page lies below it. */
export const PAGE = '/ui/';

/** The routes of the API. Each answers JSON. */
export const API = {
  /** POST `{code}`: `SessionBegun`. The only route without a token. */
  session: '/ui/api/session',
  /** POST `{}`: ends the session that asks. */
  leave: '/ui/api/leave',
  /** POST `{code}`: `Unlocked`. */
  unlock: '/ui/api/unlock',
  /** POST `{}`: an unlocked session is locked again. */
  lock: '/ui/api/lock',
  /** POST `Act`: `Acted`. */
  act: '/ui/api/act',
  /** `State` */
  state: '/ui/api/state',
  /** `?f=FILTER&before=SEQ|after=SEQ&limit=1..500`: `RecordsPage`. */
  records: '/ui/api/records',
  /** `/SEQ`: `RecordDetail`. */
  record: '/ui/api/record',
  /** `?from=MS&to=MS&buckets=1..1000`: `Histogram`. */
  histogram: '/ui/api/histogram',
  /** `?ts=MS`: `At`. */
  at: '/ui/api/at',
  /** `?from=SEQ&to=SEQ` (at most 1,000): `RawPage`. */
  raw: '/ui/api/raw',
  /** `?before=SEQ&limit=1..100`: `RunsPage`. */
  runs: '/ui/api/runs',
  /** `Agents` */
  agents: '/ui/api/agents',
  /** `/ID?after=SEQ`: `RunTimeline`. */
  run: '/ui/api/run',
  /** `/ID`: `RunPlaces`. */
  places: '/ui/api/places',
  /** `Inbox` */
  inbox: '/ui/api/inbox',
  /** `Hints` */
  hints: '/ui/api/hints',
  /** `PolicyView` */
  policy: '/ui/api/policy',
  /** `?old=HASH&new=HASH`: `PolicyCompared`. */
  compare: '/ui/api/compare',
  /** `PolicyFile` */
  file: '/ui/api/policyfile',
  /** `/SEQ`: `RuleOffers`. */
  rule: '/ui/api/rule',
  /** `Health` */
  health: '/ui/api/health',
  /** `?older=NOTE` (optional): `Head`. */
  head: '/ui/api/head',
  /** `Worlds` */
  worlds: '/ui/api/worlds',
  /** `/ID`: `World`; `/ID?path=PATH`: `LayerPatch`. */
  world: '/ui/api/world',
  /** `/SEQ`: `Proof`. */
  proof: '/ui/api/proof',
} as const;

/** Where the socket is opened, without a token: the first frame has it. */
export const SOCKET = '/ui/ws';

/** The field of a request that follows from a key or a press, `1`; others do not keep a session. */
export const PERSON = 'subl-person';

/** The key of the one-time code in the fragment of the address: `/ui/#c=CODE`. */
export const CODE_KEY = 'c';
