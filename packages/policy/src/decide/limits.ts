import { ExactNumber } from '@subluminal/core-types';
import { type Amount, amountText, exceeds, NOTHING, subtractAmounts } from '../meter/amount.js';
import { costOf } from '../meter/cost.js';
import type { Ring } from '../meter/ring.js';
import type {
  CompiledBreaker,
  CompiledBudget,
  CompiledDedupe,
  CompiledLimit,
  CompiledRateLimit,
} from '../snapshot/rule.js';
import { raised, timesOf } from './raise.js';
import type { LimitReason, LimitRefusal, Round } from './round.js';
import { unknownWord } from './verdict.js';

const NO_BUDGET = { calls: 0, writes: 0, cost: NOTHING };

/**
 * Asks a limit that matches a call: adds what the call takes to the round's charge, and gives why the limit
 * refuses, if it does. A call that a budget or a bucket refuses is not charged to it, unless the rule is
 * lifted.
 */
export function askLimit(rule: CompiledLimit, round: Round): LimitRefusal | undefined {
  switch (rule.kind) {
    case 'budget':
      return askBudget(rule, round);
    case 'rate_limit':
      return askBucket(rule, round);
    case 'breaker':
      return askBreaker(rule, round);
    case 'dedupe':
      return askDedupe(rule, round);
    default:
      throw unknownWord('kind', rule);
  }
}

/** The class of calls that a budget counts as write actions. */
const WRITE = 'write_like';

function askBudget(rule: CompiledBudget, round: Round): LimitRefusal | undefined {
  const { rule_id, scope, counted, group, meter } = rule;
  const key = round.key(scope);
  const isWrite = round.tags.includes(WRITE) || round.possibleTags.includes(WRITE);
  const cost = costFor(rule, round);
  const item = {
    kind: 'budget',
    rule_id: meter,
    scope: counted,
    key,
    isWrite,
    cost: cost ?? NOTHING,
  } as const;
  if (cost !== undefined && round.isPaid(item)) return undefined;
  const used = round.state.budget(group, key) ?? NO_BUDGET;
  let refusal = budgetRefusal(rule, used, isWrite, cost);
  if (refusal !== undefined && rule.action === 'ASK') {
    refusal = budgetRefusal(raisedBudget(rule, round), used, isWrite, cost);
    if (refusal === undefined) round.extended = [...(round.extended ?? []), rule_id];
  }
  if (refusal === undefined || round.isLifted(rule.at)) round.charge.push(item);
  return refusal;
}

/** The budget with what a person has added to it in this run. */
export function raisedBudget(rule: CompiledBudget, { call, raising }: Round): CompiledBudget {
  const times = timesOf(rule, call, raising.raises);
  if (times === 1) return rule;
  const { limitCalls, limitCost, limitWrites } = rule;
  return {
    ...rule,
    limitCalls: raised(limitCalls, times),
    limitWrites: raised(limitWrites, times),
    limitCost: { units: raised(limitCost.units, times), micros: 0 },
  };
}

function budgetRefusal(
  rule: CompiledBudget,
  used: { readonly calls: number; readonly writes: number; readonly cost: Amount },
  isWrite: boolean,
  cost: Amount | undefined,
): LimitRefusal | undefined {
  if (cost === undefined) {
    return { by: 'limit', rule, reason: 'COST_UNKNOWN', budget: costReading(rule, used.cost, NOTHING) };
  }
  if (used.calls + 1 > rule.limitCalls)
    return exceeded(rule, countReading('calls', used.calls, rule.limitCalls));
  if (isWrite && used.writes + 1 > rule.limitWrites) {
    return exceeded(rule, countReading('write actions', used.writes, rule.limitWrites));
  }
  if (exceeds(cost, subtractAmounts(rule.limitCost, used.cost))) {
    return exceeded(rule, costReading(rule, used.cost, cost));
  }
  return undefined;
}

type BudgetReading = NonNullable<LimitRefusal['budget']>;

function exceeded(rule: CompiledBudget, budget: BudgetReading): LimitRefusal {
  return { by: 'limit', rule, reason: 'BUDGET_EXCEEDED', budget };
}

function countReading(unit: 'calls' | 'write actions', used: number, limit: number): BudgetReading {
  const left = Math.max(0, limit - used);
  return { unit, used: { units: used, micros: 0 }, limit, cost: { units: 1, micros: 0 }, left };
}

function costReading(rule: CompiledBudget, used: Amount, cost: Amount): BudgetReading {
  const text = amountText(subtractAmounts(rule.limitCost, used));
  // Not every decimal survives a double: what does not is given back as it is.
  const left = String(Number(text)) === text ? Number(text) : new ExactNumber(text);
  return { unit: 'cost units', used, limit: rule.limitCost.units, cost, left };
}

function costFor({ costFrom, costPerCall }: CompiledBudget, { call }: Round): Amount | undefined {
  if (costFrom === undefined) return costPerCall;
  return call.args !== undefined && Object.hasOwn(call.args, costFrom)
    ? costOf(call.args[costFrom])
    : undefined;
}

function askBucket(rule: CompiledRateLimit, round: Round): LimitRefusal | undefined {
  const { scope, counted, group, meter, tokens, refill_tokens, refill_period_ms } = rule;
  const key = round.key(scope);
  const needed = round.state.deficit(group, key, rule, round.time) + tokens * refill_period_ms;
  const missing = needed - rule.capacity * refill_period_ms;
  if (missing <= 0 || round.isLifted(rule.at)) {
    round.charge.push({
      kind: 'rate_limit',
      rule_id: meter,
      scope: counted,
      key,
      tokens,
      refill_tokens,
      refill_period_ms,
    });
  }
  if (missing <= 0) return undefined;
  const reason = 'RATE_LIMITED';
  if (refill_tokens === 0 || tokens > rule.capacity) return { by: 'limit', rule, reason };
  return { by: 'limit', rule, reason, waitMs: Math.ceil(missing / refill_tokens) };
}

function askBreaker(rule: CompiledBreaker, round: Round): LimitRefusal | undefined {
  const { scope, group, error_threshold, repeat_threshold } = rule;
  const { state, time } = round;
  const key = round.key(scope);
  // A repeat is the same call: the run as a whole tells servers and tools apart, too.
  const entry = round.entry(scope === 'run' ? 'server_tool' : scope);
  const errors = error_threshold === 0 ? undefined : state.errors(group, key);
  const repeats = repeat_threshold === 0 ? undefined : state.repeats(group, entry);
  const errorsOpen = errors?.reaches(error_threshold, time, rule.window_ms) ?? false;
  const isLifted = round.isLifted(rule.at);
  const { meter, window_ms, repeat_window_ms, latency_threshold_ms } = rule;
  const item = {
    kind: 'breaker',
    rule_id: meter,
    scope: rule.counted,
    key,
    entry,
    repeat_threshold,
    repeat_window_ms,
    error_threshold,
    window_ms,
    latency_threshold_ms,
    repeatsOpen: false,
    errorsOpen: errorsOpen && !isLifted,
    repeatsWereOpen: repeats?.open ?? false,
    errorsWereOpen: errors?.open ?? false,
  } as const;
  const isPaid = repeat_threshold > 0 && round.isPaid(item);
  const reached = repeats?.reaches(repeat_threshold, time, repeat_window_ms) ?? false;
  // Its own count may have reached the threshold: only one that has tripped since refuses it.
  const repeatsOpen = reached && (!isPaid || item.repeatsWereOpen);
  if (repeat_threshold > 0 && !isPaid && !takePlace(round, repeats)) return full(rule);
  round.charge.push({
    ...item,
    repeat_threshold: isPaid ? 0 : repeat_threshold,
    repeatsOpen: repeatsOpen && !isLifted,
  });
  if (errors !== undefined && errorsOpen) {
    return tripped(rule, round, errors, 'BREAKER_ERRORS', error_threshold, window_ms, isLifted);
  }
  if (repeats !== undefined && repeatsOpen) {
    return tripped(rule, round, repeats, 'BREAKER_REPEATS', repeat_threshold, repeat_window_ms, isLifted);
  }
  return undefined;
}

function tripped(
  rule: CompiledBreaker,
  round: Round,
  ring: Ring,
  reason: 'BREAKER_ERRORS' | 'BREAKER_REPEATS',
  limit: number,
  window_ms: number,
  isLifted: boolean,
): LimitRefusal {
  const { rule_id, scope } = rule;
  if (!ring.open && !isLifted) round.trips.push({ rule_id, reason_code: reason, scope, limit, window_ms });
  return { by: 'limit', rule, reason, waitMs: ring.wait(limit, round.time, window_ms) };
}

function askDedupe(rule: CompiledDedupe, round: Round): LimitRefusal | undefined {
  const { scope, counted, group, meter, window_ms } = rule;
  const entry = round.entry(scope);
  const ring = round.state.duplicates(group, entry);
  const item = {
    kind: 'dedupe',
    rule_id: meter,
    scope: counted,
    key: round.key(scope),
    entry,
    window_ms,
  } as const;
  if (round.isPaid(item)) return undefined;
  if (!takePlace(round, ring)) return full(rule);
  round.charge.push(item);
  if (ring === undefined || !ring.reaches(1, round.time, window_ms)) return undefined;
  const waitMs = ring.wait(1, round.time, window_ms);
  return { by: 'limit', rule, reason: 'DUPLICATE_CALL', waitMs };
}

/** Whether one more event of a window can be remembered. */
function takePlace(round: Round, ring: Ring | undefined): boolean {
  const places = round.places + (ring?.growsBy(round.time, round.state.spare) ?? 1);
  if (!round.state.hasRoom(places, round.time)) return false;
  round.places = places;
  return true;
}

function full(rule: CompiledLimit): LimitRefusal {
  const reason: LimitReason = 'LIMIT_STATE_FULL';
  return { by: 'limit', rule, reason };
}
