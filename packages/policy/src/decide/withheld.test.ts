import type { Decision } from '@subluminal/core-types';
import type { Charge } from '../meter/charge.js';
import type { DecideResult } from './decide.js';
import { expect, test } from 'vitest';
import { withheld } from './withheld.js';

const HELD = { reason: 'TOOL_HELD', summary: 'held' } as const;
const UNKNOWN = { reason: 'UNKNOWN_TOOL', summary: 'never listed' } as const;

const ALLOW: Decision = { action: 'ALLOW', rule_id: 'a', severity: 'info', reason_code: 'OK', summary: '' };
const BLOCK: Decision = { ...ALLOW, action: 'BLOCK', rule_id: 'b', reason_code: 'NO' };
const CHARGE: Charge = [
  { kind: 'rate_limit', rule_id: 'r', scope: 'run', key: '', tokens: 1, capacity: 1, refill: 1 } as never,
  { kind: 'dedupe', rule_id: 'd', scope: 'run', key: '', entry: 'e', window_ms: 1 },
];

function decided(decision: Decision, effective: Decision): DecideResult {
  return { decision, effective, tags: ['x'], charge: CHARGE, trips: [], asks: undefined, extended: [] };
}

test('a decision about a tool that is not held stays as it is', () => {
  const result = decided(ALLOW, ALLOW);
  expect(withheld(result, undefined, 'control')).toBe(result);
});

test('what would be allowed is blocked, is charged, and is not remembered as made', () => {
  expect(withheld(decided(ALLOW, ALLOW), HELD, 'guardrails')).toMatchObject({
    decision: { action: 'BLOCK', reason_code: 'TOOL_HELD' },
    effective: { action: 'BLOCK', rule_id: null, reason_code: 'TOOL_HELD', summary: 'held' },
    charge: [{ kind: 'rate_limit' }],
    tags: ['x'],
  });
});

test('a policy that only observes lets no held tool pass', () => {
  expect(withheld(decided(BLOCK, ALLOW), HELD, 'observe')).toMatchObject({
    decision: { action: 'BLOCK', reason_code: 'TOOL_HELD' },
    effective: { action: 'BLOCK', reason_code: 'TOOL_HELD' },
  });
});

test('what the policy refuses is the policy’s refusal', () => {
  const result = decided(BLOCK, BLOCK);
  expect(withheld(result, HELD, 'control')).toBe(result);
});

test.each(['guardrails', 'control'] as const)('what no server lists is blocked in mode %s', (mode) => {
  expect(withheld(decided(ALLOW, ALLOW), UNKNOWN, mode)).toMatchObject({
    decision: { action: 'BLOCK', reason_code: 'UNKNOWN_TOOL' },
    effective: { action: 'BLOCK', rule_id: null, reason_code: 'UNKNOWN_TOOL', summary: 'never listed' },
    charge: [{ kind: 'rate_limit' }],
  });
});

test('what no server lists passes where the policy only observes, which tells what would have become of it', () => {
  expect(withheld(decided(ALLOW, ALLOW), UNKNOWN, 'observe')).toMatchObject({
    decision: { action: 'BLOCK', reason_code: 'UNKNOWN_TOOL' },
    effective: {
      action: 'ALLOW',
      rule_id: null,
      reason_code: 'UNKNOWN_TOOL',
      summary: 'observe: would have blocked: never listed',
    },
    charge: CHARGE,
  });
  const ruled = decided(BLOCK, ALLOW);
  expect(withheld(ruled, UNKNOWN, 'observe')).toBe(ruled);
});
