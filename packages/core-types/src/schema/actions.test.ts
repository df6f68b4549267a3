import { expect, it } from 'vitest';
import { WIDENING_ACTIONS } from './actions.js';

it('these actions, and no others, allow more than before', () => {
  expect([...WIDENING_ACTIONS].toSorted()).toEqual([
    'account.add',
    'account.claim',
    'allow.add',
    'approvals.approve',
    'hints.promote',
    'layer.commit',
    'panic.end',
    'policy.reload',
    'policy.trust',
    'policy.untrust',
    'secrets.add',
    'secrets.bound',
    'secrets.reveal',
    'tools.approve',
    'tools.forget',
    'ui.rule',
    'ui.unlock',
  ]);
});
