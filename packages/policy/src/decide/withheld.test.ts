import type { Decision } from '@subluminal/core-types';
import type { Charge } from '../meter/charge.js';
import type { DecideResult } from './decide.js';
import { expect, test } from 'vitest';
import { withheld } from './withheld.js';

const ALLOW: Decision = { action: 'ALLOW', rule_id: 'a', severity: 'info', reason_code: 'OK', summary: '' };
const BLOCK: Decision = { ...ALLOW, action: 'BLOCK', rule_id: 'b', reason_code: 'NO' };
const CHARGE: Charge = [
  { kind: 'rate_limit', rule_id: 'r', scope: 'run', key: '', tokens: 1, capacity: 1, refill: 1 } as never,
  { kind: 'dedupe', rule_id: 'd', scope: 'run', key: '', entry: 'e', window_ms: 1 },
];

function decided(decision: Decision, effective: Decision): DecideResult {
  return { decision, effective, tags: ['x'], charge: CHARGE, trips: [] };
}

test('a decision about a tool that is not held stays as it is', () => {
  const result = decided(ALLOW, ALLOW);
  expect(withheld(result, undefined)).toBe(result);
});

test('what would be allowed is blocked, is charged, and is not remembered as made', () => {
  expect(withheld(decided(ALLOW, ALLOW), { summary: 'held' })).toMatchObject({
    decision: { action: 'BLOCK', reason_code: 'TOOL_HELD' },
    effective: { action: 'BLOCK', rule_id: null, reason_code: 'TOOL_HELD', summary: 'held' },
    charge: [{ kind: 'rate_limit' }],
    tags: ['x'],
  });
});

test('a policy that only observes lets no held tool pass', () => {
  expect(withheld(decided(BLOCK, ALLOW), { summary: 'held' })).toMatchObject({
    decision: { action: 'BLOCK', reason_code: 'TOOL_HELD' },
    effective: { action: 'BLOCK', reason_code: 'TOOL_HELD' },
  });
});

test('what the policy refuses is the policy’s refusal', () => {
  const result = decided(BLOCK, BLOCK);
  expect(withheld(result, { summary: 'held' })).toBe(result);
});
