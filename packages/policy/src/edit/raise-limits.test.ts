import { expect, it } from 'vitest';
import { raiseLimits } from './raise-limits.js';

const FRAME =
  'policy_id: p\nversion: "1"\nmode: control\ndefaults: { decision_on_error: BLOCK }\nselectors: {}\n';
const text = (budget: string, more = '') =>
  `${FRAME}# the rules\nrules:\n  - rule_id: spend # of a run\n    kind: budget\n    enabled: true\n    severity: warn\n    match: {}\n    effect:\n      budget:\n${budget}${more}`;
const BLOCK =
  '        scope: run\n        limit_calls: 10 # a day\n        limit_cost_units: 500\n        on_exceed: ASK\n';

it('writes each limit once more, and leaves every other byte', () => {
  const source = text(BLOCK);
  expect(raiseLimits(source, 'spend')).toEqual({
    ok: true,
    text: source.replace('10 # a day', '20 # a day').replace('units: 500', 'units: 1000'),
    limits: [
      { field: 'limit_calls', from: 10, to: 20 },
      { field: 'limit_cost_units', from: 500, to: 1000 },
    ],
  });
});

it('writes JSON as well', () => {
  const effect = { budget: { scope: 'run', limit_write_actions: 3, on_exceed: 'ASK' } };
  const rule = { rule_id: 'spend', kind: 'budget', enabled: true, severity: 'warn', match: {}, effect };
  const frame = { policy_id: 'p', version: '1', mode: 'control', selectors: {} };
  const source = JSON.stringify(
    { ...frame, defaults: { decision_on_error: 'BLOCK' }, rules: [rule] },
    null,
    1,
  );
  expect(raiseLimits(source, 'spend')).toMatchObject({
    ok: true,
    text: source.replace('"limit_write_actions": 3', '"limit_write_actions": 6'),
  });
});

it.each([
  ['of another name', text(BLOCK), 'other', 'there is no budget `other` in this policy'],
  ['in a policy with a mistake', text('        scope: nothing\n'), 'spend', 'the policy has a mistake'],
  [
    'whose number stands elsewhere',
    text(
      '        scope: run\n        limit_calls: &n 10\n        limit_cost_units: *n\n        on_exceed: ASK\n',
    ),
    'spend',
    'budget `spend` is written in a way that its numbers cannot be changed in place',
  ],
])('writes nothing for a budget %s', (_which, source, id, message) => {
  expect(raiseLimits(source, id)).toMatchObject({ ok: false, message });
});
