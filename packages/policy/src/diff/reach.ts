import { canonicalize, own } from '@subluminal/core-types';
import { covers, coversNames, GlobTests } from '../lint/covers.js';
import { RuleSorter } from './sorted-rules.js';
import type { PlainArgs, PlainMatch, PlainNames, PlainRange, PlainSelectors } from '../snapshot/plain.js';

/**
 * How what `to` matches lies to what `from` matches. Careful: `wider` and `narrower` are proven, `other` is
 * the rest.
 */
export type Reach = 'same' | 'wider' | 'narrower' | 'other';

/** Compares two matches, or selectors, of which each part may be proven to hold the other's. */
function reachOf(wider: boolean, narrower: boolean): Reach {
  if (wider) return narrower ? 'same' : 'wider';
  return narrower ? 'narrower' : 'other';
}

/** The change of a match. */
export function matchReach(from: PlainMatch, to: PlainMatch, globs: GlobTests): Reach {
  return reachOf(holds(to, from, globs), holds(from, to, globs));
}

/** The change of the selectors. */
export function selectorReach(from: PlainSelectors, to: PlainSelectors): Reach {
  return reachOf(selectsAll(to, from), selectsAll(from, to));
}

/**
 * Whether every call that the match `inner` of a rule matches is matched by `outer` in its place: in the same
 * position, so that the call has the same classes, and with the same view of the arguments.
 */
function holds(outer: PlainMatch, inner: PlainMatch, globs: GlobTests): boolean {
  return (
    coversNames(outer.server_name, inner.server_name, globs) &&
    coversNames(outer.tool_name, inner.tool_name, globs) &&
    holdsList(outer.risk_class, inner.risk_class) &&
    holdsList(outer.time?.utc_hours, inner.time?.utc_hours) &&
    holdsArgs(outer.args, inner.args) &&
    OBJECTS.every((key) => outer[key] === undefined || same(outer[key], inner[key]))
  );
}

/** Parts of a match of which only the same one is proven to hold. */
const OBJECTS = ['path', 'command', 'host', 'sql'] as const;

/** A list names alternatives; an absent one is all. */
function holdsList<Value>(outer: readonly Value[] | undefined, inner: readonly Value[] | undefined): boolean {
  if (outer === undefined) return true;
  return inner !== undefined && inner.every((value) => outer.includes(value));
}

/**
 * Conditions hold together: each of the outer ones has to follow from an inner one, read exactly or as a
 * double alike.
 */
function holdsArgs(outer: PlainArgs | undefined, inner: PlainArgs | undefined): boolean {
  if (outer === undefined) return true;
  if (inner === undefined) return false;
  return (
    (outer.has_keys ?? []).every((key) => inner.has_keys?.includes(key) === true) &&
    Object.entries(outer.key_equals ?? {}).every(([key, value]) => same(own(inner.key_equals, key), value)) &&
    Object.entries(outer.key_in ?? {}).every(([key, values]) => holdsValues(values, inner, key)) &&
    Object.entries(outer.numeric_range ?? {}).every(([key, range]) =>
      holdsRange(range, own(inner.numeric_range, key)),
    ) &&
    (outer.text ?? []).every((text) => inner.text?.some((other) => same(text, other)) === true)
  );
}

function holdsValues(outer: readonly unknown[], inner: PlainArgs, key: string): boolean {
  const among = (value: unknown): boolean => outer.some((one) => same(one, value));
  const list = own(inner.key_in, key);
  if (list !== undefined) return list.every((value) => among(value));
  const value = own(inner.key_equals, key);
  return value !== undefined && among(value);
}

function holdsRange(outer: PlainRange, inner: PlainRange | undefined): boolean {
  if (inner === undefined) return false;
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = inner;
  return min >= (outer.min ?? Number.NEGATIVE_INFINITY) && max <= (outer.max ?? Number.POSITIVE_INFINITY);
}

function selectsAll(outer: PlainSelectors, inner: PlainSelectors): boolean {
  const [wide, narrow] = [outer.workload ?? {}, inner.workload ?? {}];
  const labels = Object.entries(wide.labels ?? {});
  return (
    holdsList(outer.env, inner.env) &&
    holdsList(outer.agent_id, inner.agent_id) &&
    holdsList(outer.client, inner.client) &&
    holdsList(wide.namespace, narrow.namespace) &&
    holdsList(wide.service_account, narrow.service_account) &&
    holdsList(wide.repo, narrow.repo) &&
    holdsList(wide.branch, narrow.branch) &&
    labels.every(([key, value]) => own(narrow.labels, key) === value)
  );
}

/**
 * Which matches meet, in a bounded number of comparisons: beyond it everything is taken to, which errs on the
 * side of loosening and of tightening alike.
 */
export class Meetings {
  readonly globs = new GlobTests();
  readonly rules = new RuleSorter();
  readonly #starts = new Map<string, string>();
  #left: number;

  constructor(comparisons: number) {
    this.#left = comparisons;
  }

  /** Whether some call may match both. Careful: false is proven. */
  meet(a: PlainMatch, b: PlainMatch): boolean {
    this.#left -= 1;
    if (this.#left < 0) return true;
    const hours = a.time?.utc_hours;
    const others = b.time?.utc_hours;
    if (hours !== undefined && others !== undefined && !hours.some((hour) => others.includes(hour))) {
      return false;
    }
    return !this.#areDisjoint(a.server_name, b.server_name) && !this.#areDisjoint(a.tool_name, b.tool_name);
  }

  /** Whether there is room for so many comparisons; they are taken from it. */
  spend(comparisons: number): boolean {
    this.#left -= comparisons;
    return this.#left >= 0;
  }

  #areDisjoint(a: PlainNames | undefined, b: PlainNames | undefined): boolean {
    if (a === undefined || b === undefined) return false;
    if ((a.regex ?? []).length > 0 || (b.regex ?? []).length > 0) return false;
    return (a.glob ?? []).every((one) => (b.glob ?? []).every((other) => this.#globsDisjoint(one, other)));
  }

  #globsDisjoint(a: string, b: string): boolean {
    const [textA, textB] = [this.#start(a), this.#start(b)];
    if (!textA.startsWith(textB) && !textB.startsWith(textA)) return true;
    if (textA === a) return !this.globs.test(b, a);
    return textB === b && !this.globs.test(a, b);
  }

  /** As much of a glob as every name that it matches begins with. */
  #start(glob: string): string {
    const known = this.#starts.get(glob);
    if (known !== undefined) return known;
    const start = /^[^*?[\]{}\\]*/.exec(glob)?.[0] ?? '';
    this.#starts.set(glob, start);
    return start;
  }
}

/** Whether `deny` refuses every call of `match` by itself: nothing above it can let one of them pass. */
export function isCovered(match: PlainMatch, deny: PlainMatch, globs: GlobTests): boolean {
  return deny.time === undefined && covers(deny, match, globs);
}

function same(a: unknown, b: unknown): boolean {
  return a !== undefined && b !== undefined && canonicalize(a) === canonicalize(b);
}
