import { canonicalize } from '@subluminal/core-types';
import { describe, expect, it } from 'vitest';
import { dataOf, start, toolCall } from '../gateway/harness.js';
import { watchEachTest } from '../support/watch.js';

watchEachTest();

const rule = (kind: string, effect: object, match: object = {}): object => ({
  rule_id: `the-${kind}`,
  kind,
  enabled: true,
  severity: 'warn',
  match,
  effect,
});

const policyOf = (...rules: object[]): string =>
  JSON.stringify({
    policy_id: 'attacked',
    version: '1',
    mode: 'control',
    defaults: { decision_on_error: 'BLOCK' },
    selectors: {},
    rules,
  });

describe('the record of a hint', () => {
  it('holds no argument that looks like a credential, and no long one, which the agent is given as they are', async () => {
    const effect = { action: 'BLOCK', reason_code: 'FORCE', message: 'no', hint_text: 'without force' };
    const suggested_args = { note: 'by {{args.password}}' };
    const world = await start({
      policy: policyOf(rule('deny', { ...effect, drop_args: ['force'], suggested_args })),
    });
    const { client } = await world.run();
    const secrets = { password: 'hunter2-is-it', key: 'ghp_0123456789abcdefghijklmnopqrstuvwxyz' };
    const args = { ...secrets, branch: 'main', force: true, text: 'long '.repeat(300) };
    const answer = await client.request('tool.call.begin', toolCall({ tool_name: 'push', args }));
    const { force: _, ...rest } = args;
    expect(dataOf(answer)['decision']).toMatchObject({
      hint: { suggested_args: { ...rest, note: 'by hunter2-is-it' } },
    });
    for (const row of world.rows()) {
      const text = canonicalize(row.data);
      for (const secret of [...Object.values(secrets), args.text]) expect(text).not.toContain(secret);
    }
    const [hint] = world.rows('hint_issued').map(({ data }) => data['hint']);
    const omitted = { omitted: true };
    const shown = { branch: 'main', key: omitted, note: omitted, password: omitted };
    expect(hint).toMatchObject({ hint_text: 'without force', suggested_args: shown });
  });
});
