import { expect, test } from 'vitest';
import { stripOf } from './strip.js';

const RUNNING = {
  runs: { live: 2 },
  policy: { policy_id: 'laptop', mode: 'control' },
  proxy: { mode: 'observe' },
  ledger: { budget: { level: 'ok' } },
};
const told = (status: Parameters<typeof stripOf>[0]['status'], waiting = ''): readonly string[] =>
  stripOf({ status, entries: 298_261, waiting }).map(({ text }) => text);

test('the head says what runs, by which policy, and how long the record is', () => {
  expect(told(RUNNING)).toEqual(['2 live', 'policy laptop control', 'egress observe', '298,261 entries']);
});

test('what wants a person stands first', () => {
  const status = {
    ...RUNNING,
    panicked: { since: '2026-01-01T00:00:00.000Z' },
    policy: { ...RUNNING.policy, error: { message: 'x' } },
  };
  expect(told(status, '1 question: `sub watch`').slice(0, 3)).toEqual([
    'everything is stopped since 2026-01-01T00:00:00.000Z: `sub resume` lets go',
    'policy.yaml is not in force: `sub policy lint` says why',
    'waits for you: 1 question: `sub watch`',
  ]);
});

test('the head says that no gateway runs, and how it is started', () => {
  expect(told(undefined)).toEqual(['no gateway runs: `sub up` starts it', '298,261 entries']);
});

test('room that is nearly used up is told', () => {
  const budget = { level: 'warn', used_bytes: 95, max_bytes: 100 };
  expect(told({ ...RUNNING, ledger: { budget } })).toContain('95 % of the room used');
  expect(told({ ...RUNNING, ledger: { budget: { level: 'full' } } })).toContain(
    'no room: nothing new begins',
  );
});

test('a name that a policy chose cannot act on the terminal', () => {
  const policy = { policy_id: 'a\u001b[2J\u202e', mode: 'control' };
  expect(told({ ...RUNNING, policy })).toContain('policy a\\x1b[2J\\u202e control');
});
