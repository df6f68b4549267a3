import { canonicalize } from '@subluminal/core-types';
import { amountText } from '../meter/amount.js';
import type { Scope } from '../meter/charge.js';
import type { CompiledLimit } from '../snapshot/rule.js';
import type { LimitRefusal } from './round.js';

/** The words of a refusing limit. */
export interface LimitWords {
  /** For people who read the record. */
  readonly summary: string;
  /** For the agent. */
  readonly hint: string;
  /** When to come back; null where waiting does not help. */
  readonly retryAdvice: string | null;
}

const WITHIN: Readonly<Record<Scope, string>> = {
  run: 'in a run',
  tool: 'of a tool in a run',
  server_tool: 'of a tool of one server in a run',
};

/** The words of a limit that refuses. They never hold a value of the call but its cost. */
export function limitWords(refusal: LimitRefusal): LimitWords {
  const { rule, waitMs } = refusal;
  const said = reasonWords(refusal, rule);
  const wait = waitMs === undefined ? null : `try again in ${duration(waitMs)}`;
  return {
    summary: `rule \`${rule.rule_id}\`: ${said.what}`,
    hint: said.hint ?? said.what,
    retryAdvice: said.advice ?? wait,
  };
}

interface Said {
  readonly what: string;
  readonly hint?: string;
  readonly advice?: string;
}

function reasonWords(refusal: LimitRefusal, rule: CompiledLimit): Said {
  switch (refusal.reason) {
    case 'BUDGET_EXCEEDED':
      return budgetWords(refusal, rule);
    case 'COST_UNKNOWN': {
      const name = rule.kind === 'budget' ? (rule.costFrom ?? '') : '';
      const what = `the cost of this call cannot be told: the argument \`${name}\` is not a plain number of at least 0`;
      return { what, advice: `give \`${name}\` as a plain decimal number` };
    }
    case 'RATE_LIMITED':
      return bucketWords(refusal, rule);
    case 'BREAKER_ERRORS':
    case 'BREAKER_REPEATS':
      return breakerWords(refusal.reason, rule);
    case 'DUPLICATE_CALL': {
      const window = rule.kind === 'dedupe' ? duration(rule.window_ms) : '';
      const what = `the same call was let through less than ${window} ago`;
      const advice = `if it is meant to happen twice, try again in ${duration(refusal.waitMs ?? 0)}`;
      return { what, hint: `${what}: use its result instead of making it again`, advice };
    }
    case 'LIMIT_STATE_FULL':
      return {
        what: 'no more calls of this run can be remembered',
        advice: 'try again later, with fewer different calls',
      };
  }
}

function budgetWords({ budget }: LimitRefusal, { scope }: CompiledLimit): Said {
  if (budget === undefined) return { what: 'the budget is used up' };
  const { unit, used, limit, cost, left } = budget;
  const allowed = `at most ${counted(limit, unit.slice(0, -1))} ${WITHIN[scope]}`;
  if (unit !== 'cost units') {
    return { what: `${allowed}, and no more are left`, advice: 'nothing of it comes back in this run' };
  }
  return {
    what: `${allowed}: ${amountText(used)} used, and this call costs ${amountText(cost)}`,
    advice: `nothing of it comes back in this run; ${canonicalize(left)} are left for cheaper calls`,
  };
}

function bucketWords({ waitMs }: LimitRefusal, rule: CompiledLimit): Said {
  if (rule.kind !== 'rate_limit') return { what: 'the rate limit is reached' };
  const { capacity, refill_tokens, refill_period_ms, scope } = rule;
  const what = `at most ${counted(capacity, 'token')} ${WITHIN[scope]}, and ${refill_tokens} more every ${duration(refill_period_ms)}`;
  return waitMs === undefined
    ? { what, advice: 'waiting does not help: the tokens for this call never come' }
    : { what };
}

function breakerWords(reason: 'BREAKER_ERRORS' | 'BREAKER_REPEATS', rule: CompiledLimit): Said {
  if (rule.kind !== 'breaker') return { what: 'the breaker is open' };
  if (reason === 'BREAKER_ERRORS') {
    const what = `${counted(rule.error_threshold, 'call')} ${WITHIN[rule.scope]} failed within ${duration(rule.window_ms)}`;
    return { what, hint: `${what}: find out why before going on` };
  }
  const what = `the same call was made ${counted(rule.repeat_threshold, 'time')} within ${duration(rule.repeat_window_ms)}`;
  return { what, hint: `${what}: it will not give another result, do something else` };
}

function counted(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? '' : 's'}`;
}

/** A span of time in the largest unit that says it exactly. */
function duration(ms: number): string {
  if (ms > 0 && ms % 3_600_000 === 0) return `${ms / 3_600_000} h`;
  if (ms > 0 && ms % 60_000 === 0) return `${ms / 60_000} min`;
  return ms >= 1000 && ms % 1000 === 0 ? `${ms / 1000} s` : `${ms} ms`;
}
