import type { Decision } from '@subluminal/core-types';
import type { PolicyCall, PolicyIdentity } from '../match/call.js';
import type { Facts, Match } from '../match/condition.js';
import { selects } from '../match/selectors.js';
import type { CompiledCondition, CompiledRule } from '../snapshot/rule.js';
import type { PolicySnapshot } from '../snapshot/snapshot.js';
import type { PolicyState } from './state.js';
import type { TraceStep } from './trace.js';
import { decideNoPolicy, enforced, unknownWord, type Verdict } from './verdict.js';

/** The answer to one call. */
export interface DecideResult {
  /** What the rules say. */
  readonly decision: Decision;
  /** What is enforced: in observe mode an ALLOW whose summary tells what would have happened. */
  readonly effective: Decision;
  /** What became of every rule that was asked, in order. */
  readonly trace: readonly TraceStep[];
  /** Risk classes of the call, also those that it may have because its arguments were not inspected. */
  readonly tags: readonly string[];
  readonly state: PolicyState;
}

/** Whether a policy is meant for an identity at all (Interface Pack §2.2). Where none is, `decideNoPolicy` is enforced. */
export function appliesTo(snapshot: PolicySnapshot, identity: PolicyIdentity): boolean {
  return selects(snapshot.selectors, identity);
}

/**
 * Decides one call. Pure: the same four inputs give the same answer; `now` (epoch ms) and `state` are what rules with a
 * memory will need, and no rule of this version has one. The order of checks:
 *
 * 1. The selectors do not match the identity: BLOCK `NO_POLICY_APPLIES`, whatever the mode.
 * 2. Rules from top to bottom. Disabled ones are skipped, tags gather risk classes, the first allow or deny that
 *    matches decides. Where arguments were not inspected a deny matches and an allow does not.
 * 3. A rule that fails decides as `defaults.decision_on_error` says, with `RULE_ERROR`; it is never skipped.
 * 4. No rule decided: `defaults.no_match`, with `NO_MATCH_ALLOWED` or `NO_MATCH_BLOCKED`.
 *
 * Throws `policy_invalid` on a word that no snapshot has (a mode, a kind): nothing is allowed by being unknown.
 * Interface Pack §2.3; design §6.
 */
export function decide(
  snapshot: PolicySnapshot,
  state: PolicyState,
  call: PolicyCall,
  _now: number,
): DecideResult {
  const { mode } = snapshot;
  if (!appliesTo(snapshot, call.identity)) {
    const decision = decideNoPolicy();
    const step: TraceStep = {
      rule_id: null,
      kind: 'selectors',
      outcome: 'blocked',
      note: decision.reason_code,
    };
    return { decision, effective: decision, trace: [step], tags: [], state };
  }
  const round = new Round(call);
  const verdict = round.run(snapshot.rules) ?? round.fallBack(snapshot.noMatch);
  const effective = enforced(mode, verdict);
  return { decision: verdict.decision, effective, trace: round.trace, tags: round.allTags(), state };
}

/** One pass over the rules for one call. */
class Round implements Facts {
  readonly call: PolicyCall;
  readonly trace: TraceStep[] = [];
  readonly tags: string[] = [];
  readonly possibleTags: string[] = [];

  constructor(call: PolicyCall) {
    this.call = call;
  }

  run(rules: readonly CompiledRule[]): Verdict | undefined {
    for (const rule of rules) {
      const verdict = rule.enabled ? this.#ask(rule) : this.#skip(rule);
      if (verdict !== undefined) return verdict;
    }
    return undefined;
  }

  fallBack(verdict: Verdict): Verdict {
    const { action, reason_code: note } = verdict.decision;
    this.trace.push({
      rule_id: null,
      kind: 'default',
      outcome: action === 'ALLOW' ? 'allowed' : 'blocked',
      note,
    });
    return verdict;
  }

  allTags(): readonly string[] {
    return this.possibleTags.length === 0 ? this.tags : [...new Set([...this.tags, ...this.possibleTags])];
  }

  #skip(rule: CompiledRule): undefined {
    this.trace.push(rule.disabled);
  }

  #ask(rule: CompiledRule): Verdict | undefined {
    let match: Match = 'yes';
    let settledBy: CompiledCondition | undefined;
    try {
      for (const condition of rule.conditions) {
        const part = condition.test(this);
        if (part === 'yes') continue;
        match = part;
        settledBy = condition;
        if (part === 'no') break;
      }
    } catch (error) {
      return this.#failed(rule, error);
    }
    if (match === 'no' && settledBy !== undefined) {
      this.trace.push(settledBy.notMatched);
      return undefined;
    }
    return this.#matched(rule, settledBy);
  }

  /** `unseen` is the condition that could not be told, where there is one. */
  #matched(rule: CompiledRule, unseen: CompiledCondition | undefined): Verdict | undefined {
    switch (rule.kind) {
      case 'deny':
        this.trace.push(unseen === undefined ? rule.decided : rule.decidedUnseen);
        return rule.verdict;
      case 'allow':
        this.trace.push(unseen === undefined ? rule.decided : unseen.notInspected);
        return unseen === undefined ? rule.verdict : undefined;
      case 'tag':
        this.#addTags(rule.classes, unseen === undefined ? this.tags : this.possibleTags);
        this.trace.push(unseen === undefined ? rule.tagged : rule.taggedUnseen);
        return undefined;
      default:
        throw unknownWord('kind', rule);
    }
  }

  #addTags(classes: readonly string[], to: string[]): void {
    for (const name of classes) if (!to.includes(name)) to.push(name);
  }

  #failed(rule: CompiledRule, error: unknown): Verdict {
    // The name only: the message of an error may quote an argument.
    const note = error instanceof Error ? error.name : typeof error;
    this.trace.push({ rule_id: rule.rule_id, kind: rule.kind, outcome: 'error', note });
    return rule.onError;
  }
}
