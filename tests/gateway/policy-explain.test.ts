import { Decision } from '@subluminal/core-types';
import { describe, expect, it } from 'vitest';
import { dataOf, start, toolCall } from './harness.js';
import { budget, bundle, deny } from './policy-bundle.js';

const POLICY = bundle([deny('no-rm', 'rm'), budget('three', '*', 3)]);

describe('policy.explain', () => {
  it('says what would be decided of a call of a run and what each limit has counted, and counts nothing', async () => {
    const world = await start({ policy: POLICY });
    const run = await world.run();
    const operator = await world.operator();
    const entries = world.rows().length;
    const explain = async (more: object = {}) =>
      dataOf(
        await operator.request('policy.explain', {
          run_id: run.id,
          server_name: 'fs',
          tool_name: 'read_file',
          args: { path: '/tmp/a' },
          ...more,
        }),
      );
    for (let n = 0; n < 5; n += 1) await explain();
    expect(world.rows()).toHaveLength(entries);
    await run.client.request('tool.call.begin', toolCall());
    const shown = await explain();
    expect(Decision.parse(shown['decision'])).toMatchObject({ action: 'ALLOW' });
    expect(shown).toMatchObject({
      run_id: run.id,
      identity: { agent_id: 'agent', client: 'custom', env: 'dev' },
      policy: { policy_id: 'limits', mode: 'guardrails' },
      trace: expect.arrayContaining([
        expect.objectContaining({ rule_id: 'no-rm', outcome: 'not_matched' }),
        expect.objectContaining({ rule_id: 'three', meter: expect.objectContaining({ used: 1, limit: 3 }) }),
      ]),
    });
    expect(Decision.parse((await explain({ tool_name: 'rm' }))['decision'])).toMatchObject({
      action: 'BLOCK',
      rule_id: 'no-rm',
    });
  });

  it('asks without a run with nothing used up, as whoever is named', async () => {
    const selectors = { agent_id: ['builder'] };
    const world = await start({ policy: bundle([budget('none', '*', 1)], { selectors }) });
    const operator = await world.operator();
    const about = { server_name: 'fs', tool_name: 'x', args: {} };
    const reason = async (more: object): Promise<string> => {
      const { decision } = dataOf(await operator.request('policy.explain', { ...about, ...more }));
      return Decision.parse(decision).reason_code;
    };
    const identity = { agent_id: 'builder', client: 'claude', env: 'ci' };
    expect(await reason({ identity })).toBe('NO_MATCH_ALLOWED');
    expect(await reason({})).toBe('NO_POLICY_APPLIES');
    const gone = await operator.request('policy.explain', { ...about, run_id: 'no-such-run' });
    expect(gone.error?.code).toBe('not_found');
  });
});
