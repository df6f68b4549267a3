import { expect, test } from 'vitest';
import { block } from './watch.js';

const SHOWN = {
  id: 'q-1',
  number: 7,
  runId: 'run',
  ruleId: 'rule',
  tool: 's.t',
  object: 'o',
  isWhole: true,
  why: 'why',
  raises: false,
  state: 'pending',
  said: '',
  createdAt: 0,
  expiresAt: 0,
};

test('a question names its call by the entry, which no other run can take', () => {
  expect(block(SHOWN)).toContain('  more: sub show 7');
  expect(block({ ...SHOWN, number: undefined })).toContain('  more: sub approvals show q-1');
});

test('a yes for the run to a budget says how far it goes', () => {
  expect(block(SHOWN).at(-1)).toContain('r yes, for this run');
  expect(block({ ...SHOWN, raises: true }).at(-1)).toContain(
    'r the budget once more, for all its calls of this run',
  );
});
