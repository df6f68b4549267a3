import type { PlainPolicy } from '../snapshot/plain.js';
import type { PolicySnapshot } from '../snapshot/snapshot.js';
import type { ChangeSeverity, FoundChange } from './change.js';
import { frameChanges } from './frame.js';
import { orderChanges } from './order.js';
import { Meetings } from './reach.js';
import { ruleChanges } from './rules.js';

/** How many pairs of rules are compared: a second or two, for somebody who asked. */
const COMPARISONS = 2_000_000;
/** The gateway waits for it while it loads a policy. */
const COMPARISONS_AT_LOAD = 50_000;

/** One change between two policies, with what it means. */
export interface PolicyChange extends Omit<FoundChange, 'inEveryMode' | 'reach'> {
  readonly severity: ChangeSeverity;
}

/** The changes between two policies. */
export interface PolicyComparison {
  /**
   * The rules may allow a call that they refused, whatever the mode makes of it. Never false where that can
   * happen.
   */
  readonly loosened: boolean;
  /** The rules may refuse a call that they allowed. Never false where that can happen. */
  readonly tightened: boolean;
  /** The frame first, then the rules that went, came and changed, then those that moved. */
  readonly changes: readonly PolicyChange[];
}

/** The summary of a change that entries hold. */
export interface PolicyDiff {
  readonly loosened: boolean;
  readonly tightened: boolean;
  /** One readable line for each change. */
  readonly changes: readonly string[];
}

/**
 * Compares two policies call by call: the same call, with the same counters behind it. Errs on the side of
 * saying that something loosened or tightened: what cannot be proven a tightening counts as a possible
 * loosening. That a call which was refused earlier leaves more in a counter for a later one is not counted,
 * and rules that fail only through `decision_on_error`. `comparisons` bounds the work: of pairs of rules
 * beyond it nothing is proven any more. docs/governance.md, "What a change means".
 */
export function comparePolicies(
  before: PolicySnapshot,
  after: PolicySnapshot,
  comparisons = COMPARISONS,
): PolicyComparison {
  const pair = { before: before.plain, after: after.plain, meetings: new Meetings(comparisons) };
  const found = [...frameChanges(pair.before, pair.after), ...ruleChanges(pair), ...orderChanges(pair)];
  return {
    loosened: found.some(({ loosens }) => loosens),
    tightened: found.some(({ tightens }) => tightens),
    changes: found.map((change) => judged(change, pair.before)),
  };
}

/** The same in a few lines, for the record. */
export function diffSummary(before: PolicySnapshot, after: PolicySnapshot): PolicyDiff {
  const { loosened, tightened, changes } = comparePolicies(before, after, COMPARISONS_AT_LOAD);
  return { loosened, tightened, changes: changes.map(({ text }) => text) };
}

function judged({ inEveryMode, reach, ...change }: FoundChange, before: PlainPolicy): PolicyChange {
  const isRefused = before.mode !== 'observe' || inEveryMode === true;
  if (change.loosens && isRefused) return { ...change, severity: 'critical' };
  return { ...change, severity: change.loosens || reach ? 'warn' : 'info' };
}
