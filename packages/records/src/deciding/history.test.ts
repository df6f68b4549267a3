import { expect, it } from 'vitest';
import { history } from './history.js';

it('a call that a person agreed to is replayed with the rule out of the way that asked', () => {
  const step = {
    type: 'tool_call_decision',
    runId: 'run',
    seq: 3,
    ts: 1,
    tool: ['fs', 'push'],
    code: 'ALLOW',
    ref: null,
    start: undefined,
    data: { call: { args_hash: 'h', call_id: 'c' }, decision: {}, facts: { waived: ['ask-push'] } },
  } as const;
  const [happened] = history([step]);
  expect(happened).toMatchObject({
    what: 'call',
    call: { waivers: [{ rule_id: 'ask-push', server_name: 'fs', tool_name: 'push', args_hash: 'h' }] },
  });
});
