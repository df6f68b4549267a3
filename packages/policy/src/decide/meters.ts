import { amountText, NOTHING } from '../meter/amount.js';
import type { BudgetMeter } from '../meter/groups.js';
import type { CompiledBudget, CompiledLimit } from '../snapshot/rule.js';
import { raisedBudget } from './limits.js';
import type { Round } from './round.js';
import type { Meter, TraceStep } from './trace.js';

/** The count of a limit before this call, for the trace. */
export function metersOf(rule: CompiledLimit, round: Round): Pick<TraceStep, 'meter' | 'meters'> {
  const meters = readings(rule, round);
  const [meter] = meters.toSorted((a, b) => a.limit - a.used - (b.limit - b.used));
  if (meter === undefined) return {};
  return meters.length === 1 ? { meter } : { meter, meters };
}

function readings(rule: CompiledLimit, round: Round): readonly Meter[] {
  const { scope, group } = rule;
  const { state, time } = round;
  switch (rule.kind) {
    case 'budget':
      return budgetReadings(raisedBudget(rule, round), state.budget(group, round.key(scope)));
    case 'rate_limit': {
      const parts = state.deficit(group, round.key(scope), rule, time);
      return [{ used: Math.ceil(parts / rule.refill_period_ms), limit: rule.capacity, unit: 'tokens' }];
    }
    case 'breaker': {
      const errors = state.errors(group, round.key(scope))?.count(time, rule.window_ms) ?? 0;
      const entry = round.entry(scope === 'run' ? 'server_tool' : scope);
      const repeats = state.repeats(group, entry)?.count(time, rule.repeat_window_ms) ?? 0;
      return [
        ...window(errors, rule.error_threshold, 'errors'),
        ...window(repeats, rule.repeat_threshold, 'repeats'),
      ];
    }
    case 'dedupe':
      return reading(
        state.duplicates(group, round.entry(scope))?.count(time, rule.window_ms) ?? 0,
        1,
        'repeats',
      );
  }
}

function budgetReadings(rule: CompiledBudget, used: BudgetMeter | undefined): readonly Meter[] {
  return [
    ...reading(used?.calls ?? 0, rule.limitCalls, 'calls'),
    ...reading(used?.writes ?? 0, rule.limitWrites, 'write actions'),
    ...reading(Number(amountText(used?.cost ?? NOTHING)), rule.limitCost.units, 'cost units'),
  ];
}

/** A window knows whether its threshold is reached, and not by how much. A threshold of 0 is off. */
function window(count: number, threshold: number, unit: Meter['unit']): readonly Meter[] {
  return threshold === 0 ? [] : [{ used: Math.min(count, threshold), limit: threshold, unit }];
}

/** Nothing where the limit is none. */
function reading(used: number, limit: number, unit: Meter['unit']): readonly Meter[] {
  return limit === Infinity ? [] : [{ used, limit, unit }];
}
