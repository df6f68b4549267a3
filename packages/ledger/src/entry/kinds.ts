/**
 * The numbers that stand in `entry.kind` and `entry.code`, and their names in the body. Both tables are part
 * of the format: a number is never reused. Kinds 50 to 59 speak of the ledger itself. 55 was used once.
 */
export const KINDS = {
  run_start: 1,
  tool_call_start: 2,
  tool_call_decision: 3,
  tool_call_end: 4,
  run_end: 5,
  hint_issued: 6,
  policy_loaded: 7,
  secret_injection: 8,
  shim_health: 9,
  breaker_trip: 10,
  hint_promoted: 11,
  tools_pinned: 12,
  tools_held: 13,
  tools_approved: 14,
  spool_ingested: 15,
  policy_refused: 16,
  secret_changed: 17,
  account_changed: 18,
  action_pending: 20,
  action_result: 21,
  action_rejected: 22,
  anomaly: 23,
  approval_granted: 24,
  approval_denied: 25,
  approval_requested: 26,
  upstream_begin: 30,
  upstream_end: 31,
  message_dropped: 32,
  hook_event: 33,
  world_begin: 34,
  world_end: 35,
  gateway_start: 40,
  gateway_stop: 41,
  peers_refused: 42,
  rejections_dropped: 43,
  panicked: 44,
  resumed: 45,
  run_ingested: 46,
  seal: 50,
  anchored: 51,
  previews_expired: 52,
  segment_closed: 53,
  restored: 54,
  segment_opened: 56,
  settings_loaded: 60,
  settings_refused: 61,
  secrets_told: 62,
  'plane.boundary': 70,
  'plane.window': 71,
  'plane.steer': 72,
  'plane.skip': 73,
  'plane.checkpoint': 74,
  'plane.signal_off': 75,
} as const;

/** Name of a kind of entry; for 1 to 10 these are the event types of Contract A, all others are our own. */
export type EntryType = keyof typeof KINDS;

const ALLOW = 1;

/** Decisions (1–5), call status (10–13), action status (20–25), run status (30–33); 0 is "none". */
export const CODES = [
  [ALLOW, 'ALLOW'],
  [2, 'BLOCK'],
  [3, 'THROTTLE'],
  [4, 'REJECT_WITH_HINT'],
  [5, 'TERMINATE_RUN'],
  [10, 'OK'],
  [11, 'ERROR'],
  [12, 'TIMEOUT'],
  [13, 'CANCELLED'],
  [20, 'pending'],
  [21, 'success'],
  [22, 'error'],
  [23, 'rejected'],
  [24, 'rate_limited'],
  [25, 'requires_approval'],
  [30, 'SUCCEEDED'],
  [31, 'FAILED'],
  [32, 'TERMINATED'],
  [33, 'CANCELLED'],
] as const;

/** A decision or status as the body and the API spell it. */
export type CodeName = (typeof CODES)[number][1];

const TYPE_OF_KIND: ReadonlyMap<number, EntryType> = new Map(
  Object.entries(KINDS).flatMap(([type, kind]) => (isEntryType(type) ? [[kind, type]] : [])),
);
const NAME_OF_CODE: ReadonlyMap<number, CodeName> = new Map(CODES);

/** Tells whether a text names a type of entry. */
export function isEntryType(text: string): text is EntryType {
  return Object.hasOwn(KINDS, text);
}

/** Tells whether an entry of that kind speaks of the ledger itself. */
export function isOfItself(kind: number): boolean {
  return kind >= KINDS.seal && kind < 60;
}

/** The type name of a stored kind, or undefined where this version knows none. */
export function typeOfKind(kind: number): EntryType | undefined {
  return TYPE_OF_KIND.get(kind);
}

/** The name of a stored code; null for 0, undefined where this version knows none. */
export function nameOfCode(code: number): CodeName | null | undefined {
  return code === 0 ? null : NAME_OF_CODE.get(code);
}

/**
 * The number of a code on an entry of `kind`. `CANCELLED` is the only name with two numbers: 33 on a
 * `run_end`, 13 elsewhere, so that the column alone tells a cancelled run from a cancelled call.
 */
export function numberOfCode(kind: number, name: CodeName | null): number | undefined {
  if (name === null) return 0;
  const onRunEnd = kind === KINDS.run_end;
  return CODES.find(
    ([number, known]) => known === name && (name !== 'CANCELLED' || number >= 30 === onRunEnd),
  )?.[0];
}

/** Numbers of every code that carries `name` (two for `CANCELLED`). */
export function numbersOfCode(name: CodeName): readonly number[] {
  return CODES.filter(([, known]) => known === name).map(([number]) => number);
}

/**
 * True for an entry after which an effect may run and whose outcome must follow: ALLOW decision, pending
 * action.
 */
export function opensEffect(kind: number, code: number): boolean {
  return kind === KINDS.action_pending || (kind === KINDS.tool_call_decision && code === ALLOW);
}

/** The same of an entry that has its names and no numbers yet. */
export function namesEffect(type: EntryType, code: CodeName | null | undefined): boolean {
  return type === 'action_pending' || (type === 'tool_call_decision' && code === 'ALLOW');
}

/** True for an entry that reports the outcome of another one. */
export function closesEffect(kind: number): boolean {
  return kind === KINDS.tool_call_end || kind === KINDS.action_result;
}
