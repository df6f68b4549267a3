import { expect, it } from 'vitest';
import { effectText } from './effect-text.js';

it.each<[string, object, string]>([
  ['deny', { action: 'BLOCK', reason_code: 'READ_ONLY', message: '' }, 'READ_ONLY'],
  ['tag', { tag: { add_risk_class: ['a', 'b'] } }, 'adds a, b'],
  [
    'budget',
    { budget: { scope: 'run', limit_calls: 3, limit_write_actions: 1, on_exceed: 'BLOCK' } },
    '3 calls, 1 write actions a run, else BLOCK',
  ],
  [
    'rate_limit',
    {
      rate_limit: {
        scope: 'tool',
        capacity: 5,
        refill_tokens: 1,
        refill_period_ms: 90_000,
        on_limit: 'THROTTLE',
      },
    },
    '5, then 1 every 90 s a tool, else THROTTLE',
  ],
  [
    'breaker',
    {
      breaker: {
        scope: 'server_tool',
        error_threshold: 5,
        window_ms: 60_000,
        repeat_threshold: 0,
        repeat_window_ms: 1,
        on_trip: 'TERMINATE_RUN',
      },
    },
    '5 errors in 1 min a tool of a server, then TERMINATE_RUN',
  ],
  [
    'dedupe',
    { dedupe: { scope: 'run', window_ms: 1500, key: 'args_hash', on_duplicate: 'BLOCK' } },
    'once in 1500 ms a run, else BLOCK',
  ],
])('a %s says what it does', (kind, effect, text) => {
  expect(effectText(JSON.parse(JSON.stringify({ kind, effect })), 'home')).toBe(text);
});

it.each([
  ['ask', { action: 'ASK' }, 'refuses (a project asks nobody)'],
  [
    'budget',
    { budget: { scope: 'run', limit_calls: '5', on_exceed: 'ASK' } },
    '5 calls a run, else refuses (a project asks nobody)',
  ],
])('an %s of a project is told as a refusal', (kind, effect, text) => {
  expect(effectText(JSON.parse(JSON.stringify({ kind, effect })), 'project')).toBe(text);
});
