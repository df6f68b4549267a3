import { APPROVAL_REQUIRED } from '../decide/question.js';
import type { RecordedCall, Replayed, ReplayVerdict, Ruling } from './recorded.js';

/** Calls of one tool with one outcome because of one rule. */
export interface ReplayGroup {
  readonly verdict: ReplayVerdict;
  readonly was: string;
  /** Null where it is not known, or not reached. */
  readonly now: string | null;
  /** The rule to which the difference is due; null where it is none. */
  readonly rule_id: string | null;
  /** Null in the group of all that did not fit. */
  readonly server_name: string | null;
  readonly tool_name: string | null;
  readonly because: string | null;
  readonly missing: readonly string[];
  count: number;
  /** Of these calls, those that a person had been, or would be, asked about. */
  wasAsked: number;
  nowAsked: number;
  /** Ids of the first calls. */
  readonly examples: string[];
}

const MAX_GROUPS = 2000;
const MAX_EXAMPLES = 3;

/** Counts what a policy makes of recorded calls, by outcome, rule and tool. Bounded. */
export class ReplayTally {
  readonly counts: Record<ReplayVerdict, number> = {
    newly_blocked: 0,
    newly_allowed: 0,
    changed: 0,
    not_reached: 0,
    unknown: 0,
    same: 0,
  };
  /** Calls that would not run although they did, those that are not reached among them. */
  lost = 0;
  calls = 0;
  readonly #groups = new Map<string, ReplayGroup>();

  add(call: RecordedCall, callId: string, replayed: Replayed): void {
    const { verdict, now, would, because, missing = [] } = replayed;
    this.calls += 1;
    this.counts[verdict] += 1;
    if (verdict === 'newly_blocked' || (verdict === 'not_reached' && call.was.action === 'ALLOW'))
      this.lost += 1;
    if (verdict === 'same' && would === null) return;
    const rule = verdict === 'newly_allowed' ? call.was.rule_id : ((would ?? now)?.rule_id ?? null);
    const group = {
      verdict,
      was: call.was.action,
      now: now === null ? null : would === null ? now.action : `ALLOW (observe: ${would.action})`,
      rule_id: rule,
      because: because ?? null,
      missing,
    };
    const key = JSON.stringify([group, call.server_name, call.tool_name]);
    const isNew = !this.#groups.has(key);
    const fits = !isNew || this.#groups.size < MAX_GROUPS;
    const found = this.#groups.get(fits ? key : JSON.stringify([group.verdict])) ?? {
      ...(fits ? group : { ...group, was: '', now: null, rule_id: null, because: null, missing: [] }),
      server_name: fits ? call.server_name : null,
      tool_name: fits ? call.tool_name : null,
      count: 0,
      wasAsked: 0,
      nowAsked: 0,
      examples: [],
    };
    found.count += 1;
    if (isAsked(call.was)) found.wasAsked += 1;
    if (now !== null && isAsked(would ?? now)) found.nowAsked += 1;
    if (found.examples.length < MAX_EXAMPLES) found.examples.push(callId);
    this.#groups.set(fits ? key : JSON.stringify([group.verdict]), found);
  }

  /** The groups, those with most calls first within each outcome. */
  get groups(): readonly ReplayGroup[] {
    const order = Object.keys(this.counts);
    return [...this.#groups.values()].toSorted(
      (a, b) => order.indexOf(a.verdict) - order.indexOf(b.verdict) || b.count - a.count,
    );
  }
}

/** Observe mode has no question: it records a block with the reason of one. */
function isAsked({ action, reason_code: reason }: Pick<Ruling, 'action' | 'reason_code'>): boolean {
  return action !== 'ALLOW' && reason === APPROVAL_REQUIRED;
}
