import { bucket, budget, breaker, bundle, dedupe, deny } from '../gateway/policy-bundle.js';

const tag = (rule_id: string, tools: string, ...classes: string[]) => ({
  rule_id,
  kind: 'tag',
  enabled: true,
  severity: 'info',
  match: { tool_name: { glob: [tools] } },
  effect: { tag: { add_risk_class: classes } },
});
const LOOPS = { repeat_threshold: 2, on_trip: 'TERMINATE_RUN', terminate_code: 'LOOPING' };
const RETRY = { hint_text: 'push without force', drop_args: ['force'], retry_advice: 'at once' };
const HOUR = { capacity: 1, refill_tokens: 1, refill_period_ms: 3_600_000 };

/** One rule of each kind and each matcher, for the run of `repo-fixer` in CI. */
export const GUARDED_POLICY = bundle(
  [
    tag('writes', 'write_*', 'write_like'),
    {
      rule_id: 'reads',
      kind: 'allow',
      enabled: true,
      severity: 'info',
      match: { tool_name: { regex: ['read_[a-z]+'] } },
      effect: { action: 'ALLOW', reason_code: 'READ_ONLY', message: 'reading is fine' },
    },
    deny('no-reads', 'read_*'),
    { ...deny('off', 'write_*'), enabled: false },
    deny('no-keys', { risk_class: ['write_like'], args: { has_keys: ['key_file'] } }),
    deny('no-force', { args: { key_equals: { force: true } } }, { ...RETRY, suggested_args: {} }),
    deny('no-europe', { server_name: { glob: ['fil*'] }, args: { key_in: { region: ['eu', 'ch'] } } }),
    deny('no-giants', { server_name: { regex: ['f.les'] }, args: { numeric_range: { size: { min: 100 } } } }),
    deny('elsewhere', { server_name: { glob: ['other'] }, args: { has_keys: ['size'] } }),
    deny('at-any-hour', {
      tool_name: { glob: ['nightly'] },
      time: { utc_hours: Array.from({ length: 24 }, (_, hour) => hour) },
    }),
    budget('spending', 'spend', 1, { on_exceed: 'REJECT_WITH_HINT', hint_text: 'one purchase a run' }),
    bucket('pace', 'poll', HOUR, { backoff_ms: 250 }),
    dedupe('once', 'post_*', 60_000),
    breaker('failures', 'fail', { error_threshold: 2 }),
    breaker('loops', 'loop', LOOPS),
  ],
  {
    mode: 'control',
    version: '2.0.0',
    description: 'one rule of each kind',
    owner: 'the team',
    created_at: '2026-01-02T03:04:05.000Z',
    selectors: { env: ['ci', 'prod'], agent_id: ['repo-fixer'], client: ['codex', 'custom', 'headless'] },
  },
);

type Expected = readonly [
  tool: string,
  args: string,
  action: string,
  rule: string | null,
  reason: string,
  code?: number,
];

/**
 * The agent's calls: each with its decision, the rule and the reason, and the code of the error that the
 * agent gets.
 */
export const GUARDED_CALLS: readonly Expected[] = [
  ['read_file', '{}', 'ALLOW', 'reads', 'READ_ONLY'],
  ['read_2', '{}', 'BLOCK', 'no-reads', 'DENYLIST_MATCH', -32081],
  ['write_file', '{"key_file":"id"}', 'BLOCK', 'no-keys', 'DENYLIST_MATCH', -32081],
  ['write_file', '{"text":"a"}', 'ALLOW', null, 'NO_MATCH_ALLOWED'],
  ['push', '{"force":true,"branch":"main"}', 'REJECT_WITH_HINT', 'no-force', 'DENYLIST_MATCH', -32083],
  ['push', '{"branch":"main"}', 'ALLOW', null, 'NO_MATCH_ALLOWED'],
  ['push', '{"force":"true"}', 'ALLOW', null, 'NO_MATCH_ALLOWED'],
  ['deploy', '{"region":"eu"}', 'BLOCK', 'no-europe', 'DENYLIST_MATCH', -32081],
  ['deploy', '{"region":"ap"}', 'ALLOW', null, 'NO_MATCH_ALLOWED'],
  ['resize', '{"size":100}', 'BLOCK', 'no-giants', 'DENYLIST_MATCH', -32081],
  ['resize', '{"size":99.5}', 'ALLOW', null, 'NO_MATCH_ALLOWED'],
  ['nightly', '{}', 'BLOCK', 'at-any-hour', 'DENYLIST_MATCH', -32081],
  ['spend', '{}', 'ALLOW', null, 'NO_MATCH_ALLOWED'],
  ['spend', '{}', 'REJECT_WITH_HINT', 'spending', 'BUDGET_EXCEEDED', -32083],
  ['poll', '{}', 'ALLOW', null, 'NO_MATCH_ALLOWED'],
  ['poll', '{}', 'THROTTLE', 'pace', 'RATE_LIMITED', -32082],
  ['post_note', '{"text":"a"}', 'ALLOW', null, 'NO_MATCH_ALLOWED'],
  ['post_note', '{"text":"a"}', 'BLOCK', 'once', 'DUPLICATE_CALL', -32081],
  ['fail', '{"message":"no"}', 'ALLOW', null, 'NO_MATCH_ALLOWED', -32010],
  ['fail', '{"message":"no","data":1}', 'ALLOW', null, 'NO_MATCH_ALLOWED', -32010],
  ['fail', '{}', 'BLOCK', 'failures', 'BREAKER_ERRORS', -32081],
  ['loop', '{}', 'ALLOW', null, 'NO_MATCH_ALLOWED'],
  ['loop', '{}', 'ALLOW', null, 'NO_MATCH_ALLOWED'],
  ['loop', '{}', 'TERMINATE_RUN', 'loops', 'BREAKER_REPEATS', -32084],
];
