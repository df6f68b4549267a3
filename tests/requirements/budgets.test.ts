import { expect, it } from 'vitest';
import { dataOf, start, toolCall } from '../gateway/harness.js';
import { budget, bundle, dedupe } from '../gateway/policy-bundle.js';
import type { JsonObject } from '@subluminal/core-types';

const WRITES = {
  rule_id: 'writes',
  kind: 'tag',
  enabled: true,
  severity: 'info',
  match: { tool_name: { glob: ['write_*'] } },
  effect: { tag: { add_risk_class: ['write_like'] } },
};

/** Decides calls of one run in their order, each under another id. */
async function decisions(policy: string, calls: readonly (readonly [tool: string, args: JsonObject])[]) {
  const world = await start({ policy });
  const { client } = await world.run();
  const found: unknown[] = [];
  for (const [tool_name, args] of calls) {
    const answer = await client.request('tool.call.begin', toolCall({ tool_name, args }));
    found.push((dataOf(answer)['decision'] as JsonObject)['reason_code']);
  }
  return found;
}

it.each([
  [
    'calls',
    { limit_calls: 2 },
    ['NO_MATCH_ALLOWED', 'NO_MATCH_ALLOWED', 'BUDGET_EXCEEDED', 'BUDGET_EXCEEDED'],
  ],
  [
    'cost units',
    { limit_calls: undefined, limit_cost_units: 12, cost_units_per_call: 4 },
    ['NO_MATCH_ALLOWED', 'NO_MATCH_ALLOWED', 'NO_MATCH_ALLOWED', 'BUDGET_EXCEEDED'],
  ],
  [
    'write actions',
    { limit_calls: undefined, limit_write_actions: 1 },
    ['NO_MATCH_ALLOWED', 'NO_MATCH_ALLOWED', 'BUDGET_EXCEEDED', 'NO_MATCH_ALLOWED'],
  ],
] as const)('a budget of %s lets a run have so much and no more', async (_, limit, expected) => {
  const policy = bundle([WRITES, budget('all', '*', 0, limit)]);
  const calls = ['read_a', 'write_a', 'write_b', 'read_b'].map((tool) => [tool, {}] as const);
  expect(await decisions(policy, calls)).toEqual(expected);
});

it('a budget of each tool leaves the others theirs', async () => {
  const policy = bundle([budget('each', '*', 1, { scope: 'tool' })]);
  const calls = ['read_a', 'read_a', 'read_b'].map((tool) => [tool, {}] as const);
  expect(await decisions(policy, calls)).toEqual(['NO_MATCH_ALLOWED', 'BUDGET_EXCEEDED', 'NO_MATCH_ALLOWED']);
});

it('a repetition passes where an allow overrides the dedupe', async () => {
  const beats = {
    rule_id: 'beats',
    kind: 'allow',
    enabled: true,
    severity: 'info',
    match: { args: { key_equals: { text: 'alive' } } },
    effect: { action: 'ALLOW', reason_code: 'HEARTBEAT', message: '', overrides: ['doubles'] },
  };
  const texts = ['a', 'a', 'alive', 'alive'];
  const calls = texts.map((text) => ['post', { text }] as const);
  expect(await decisions(bundle([beats, dedupe('doubles', '*', 60_000)]), calls)).toEqual([
    'NO_MATCH_ALLOWED',
    'DUPLICATE_CALL',
    'HEARTBEAT',
    'HEARTBEAT',
  ]);
});
