import { type Finding, quoted } from '../problem/problem.js';
import type { Tree } from '../source/tree.js';
import { mapAt, type Part, partAt, rulesOf } from './parts.js';

/** Limits that limit nothing, and numbers that cannot be counted exactly. Works on any tree. */
export function findLimitMistakes(tree: Tree): readonly Finding[] {
  return rulesOf(tree).flatMap((rule) => {
    const effect = mapAt(rule, 'effect');
    return [
      ...budgetMistakes(mapAt(effect, 'budget')),
      ...bucketMistakes(mapAt(effect, 'rate_limit')),
      ...breakerMistakes(mapAt(effect, 'breaker')),
    ];
  });
}

function budgetMistakes(budget: Part | undefined): readonly Finding[] {
  if (budget === undefined) return [];
  const [calls, cost, writes, from] = [
    'limit_calls',
    'limit_cost_units',
    'limit_write_actions',
    'cost_units_from',
  ].map((key) => partAt(budget, key));
  if (calls === undefined && cost === undefined && writes === undefined) {
    const help = 'add `limit_calls`, `limit_cost_units` or `limit_write_actions`';
    return [{ code: 'limit_missing', message: 'the budget has no limit', path: budget.path, help }];
  }
  if (from === undefined || cost !== undefined) return [];
  const message = '`cost_units_from` counts towards no limit';
  return [{ code: 'limit_missing', message, path: from.path, help: 'add `limit_cost_units`' }];
}

function bucketMistakes(bucket: Part | undefined): readonly Finding[] {
  const period = partAt(bucket, 'refill_period_ms')?.value;
  return ['capacity', 'cost_tokens_per_call'].flatMap((key) => {
    const part = partAt(bucket, key);
    if (typeof part?.value !== 'number' || typeof period !== 'number') return [];
    if (part.value * period <= Number.MAX_SAFE_INTEGER) return [];
    const message = `${quoted(key)} times \`refill_period_ms\` is more than can be counted exactly`;
    const help = 'take smaller numbers: both together may come to 9,007,199,254,740,991';
    return [{ code: 'limit_too_large', message, path: part.path, help }];
  });
}

function breakerMistakes(breaker: Part | undefined): readonly Finding[] {
  if (breaker === undefined || partAt(breaker, 'error_threshold')?.value !== 0) return [];
  const latency = partAt(breaker, 'latency_threshold_ms');
  if (latency !== undefined) {
    const message = '`latency_threshold_ms` makes slow calls errors, and errors are switched off';
    const help = 'set `error_threshold` to at least 1, or leave `latency_threshold_ms` out';
    return [{ code: 'limit_missing', message, path: latency.path, help }];
  }
  if (partAt(breaker, 'repeat_threshold')?.value !== 0) return [];
  const help = 'set `error_threshold` or `repeat_threshold` to at least 1';
  return [
    { code: 'limit_missing', message: 'both thresholds of the breaker are 0', path: breaker.path, help },
  ];
}
