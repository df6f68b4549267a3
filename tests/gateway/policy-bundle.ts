/** Rules with a memory, as short as tests want them. */

type Match = Record<string, unknown>;

const named = (glob: string): Match => ({ tool_name: { glob: [glob] } });

function rule(kind: string, rule_id: string, tools: string | Match, effect: object): object {
  const match = typeof tools === 'string' ? named(tools) : tools;
  return { rule_id, kind, enabled: true, severity: 'warn', match, effect };
}

/** `limit` calls of these tools in a run. */
export function budget(rule_id: string, tools: string | Match, limit: number, more: object = {}): object {
  const all = { scope: 'run', limit_calls: limit, on_exceed: 'BLOCK', ...more };
  return rule('budget', rule_id, tools, { budget: all });
}

export function bucket(
  rule_id: string,
  tools: string | Match,
  size: { capacity: number; refill_tokens: number; refill_period_ms: number },
  more: object = {},
): object {
  const all = { scope: 'run', ...size, on_limit: 'THROTTLE', backoff_ms: 1, ...more };
  return rule('rate_limit', rule_id, tools, { rate_limit: all });
}

export function breaker(rule_id: string, tools: string | Match, more: object): object {
  const all = {
    scope: 'run',
    error_threshold: 0,
    window_ms: 60_000,
    repeat_threshold: 0,
    repeat_window_ms: 60_000,
    on_trip: 'BLOCK',
    ...more,
  };
  return rule('breaker', rule_id, tools, { breaker: all });
}

export function dedupe(rule_id: string, tools: string | Match, window_ms: number, more: object = {}): object {
  const all = { scope: 'run', window_ms, key: 'args_hash', on_duplicate: 'BLOCK', ...more };
  return rule('dedupe', rule_id, tools, { dedupe: all });
}

export function deny(rule_id: string, tools: string | Match, more: object = {}): object {
  const effect = { action: 'BLOCK', reason_code: 'DENYLIST_MATCH', message: `${rule_id} says no`, ...more };
  return rule('deny', rule_id, tools, effect);
}

/** The text of a policy file. */
export function bundle(
  rules: readonly object[],
  more: { mode?: 'observe' | 'guardrails' | 'control'; version?: string; [key: string]: unknown } = {},
): string {
  const frame = { policy_id: 'limits', version: '1', mode: 'guardrails', selectors: {} };
  return JSON.stringify({ ...frame, defaults: { decision_on_error: 'BLOCK' }, ...more, rules });
}
