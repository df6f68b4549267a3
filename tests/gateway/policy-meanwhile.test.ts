import { writeFileSync } from 'node:fs';
import { homePaths } from '@subluminal/ipc';
import { describe, expect, it } from 'vitest';
import { between, Gate } from './between.js';
import { eventually } from '../harness/processes.js';
import { dataOf, start, temporaryHome, toolCall, toolEnd, type TestGateway } from './harness.js';

function bundle(action: 'BLOCK' | 'none', version: string): string {
  const rule = `
  - rule_id: no-rm
    kind: deny
    enabled: true
    severity: critical
    match: { tool_name: { glob: [rm] } }
    effect: { action: BLOCK, reason_code: DENYLIST_MATCH, message: rm is not allowed }`;
  return `policy_id: test
version: "${version}"
mode: guardrails
defaults: { decision_on_error: BLOCK }
selectors: {}
rules:${action === 'none' ? ' []' : rule}
`;
}

/**
 * A gateway whose first tool call waits behind its commit, which has returned from the disk, until `gate`
 * opens.
 */
async function heldAfterCommit(gate: Gate): Promise<TestGateway> {
  let held = false;
  return await start({
    policy: bundle('none', '1'),
    wrapLedger: between(async (group, next) => {
      const result = await next();
      if (!held && group.entries.at(-1)?.type === 'tool_call_decision') {
        held = true;
        await gate.pass();
      }
      return result;
    }),
  });
}

async function loadPolicy(world: TestGateway, text: string): Promise<void> {
  writeFileSync(world.paths.policy, text, { mode: 0o600 });
  expect((await (await world.operator()).request('policy.reload', {})).status).toBe('success');
}

describe('a policy that changes while a decision is written', () => {
  it('decides again: a call that it refuses gets its end, and its shim hears the refusal', async () => {
    const gate = new Gate();
    const world = await heldAfterCommit(gate);
    const run = await world.run();
    const call = toolCall({ tool_name: 'rm' });
    const asked = run.client.request('tool.call.begin', call, { id: 'request-held' });
    await gate.reached;
    await loadPolicy(world, bundle('BLOCK', '2'));
    gate.open();
    const answer = await asked;
    expect([answer.status, answer.error?.code]).toEqual(['error', 'policy_blocked']);
    expect(dataOf(answer)).toMatchObject({
      decision: { action: 'BLOCK', rule_id: 'no-rm', reason_code: 'DENYLIST_MATCH' },
      policy: { policy_version: '2' },
    });
    const rows = world.rows().filter((row) => row.runId === run.id && row.type !== 'policy_loaded');
    expect(rows.slice(-3).map((row) => [row.type, row.code])).toEqual([
      ['tool_call_start', null],
      ['tool_call_decision', 'ALLOW'],
      ['tool_call_end', 'ERROR'],
    ]);
    const end = rows.at(-1);
    expect(answer.auditRef).toBe(`${end?.seq}.${end?.leaf}`);
    expect(end?.ref).toBe(rows.at(-2)?.seq);
    expect(end?.data).toMatchObject({
      call: { call_id: call.call_id },
      error: { class: 'policy_block', code: 'DENYLIST_MATCH', message: 'rm is not allowed' },
      policy: { policy_version: '2' },
    });
    expect((await run.client.request('tool.call.end', toolEnd(call.call_id))).error?.code).toBe('not_found');
    const second = await world.connect(run.credential);
    const resent = await second.request('tool.call.begin', call, { id: 'request-held' });
    expect([resent.status, resent.error?.code]).toEqual(['error', 'policy_blocked']);
    await world.gateway.stop('test');
    expect(await world.verify()).toBe('ok');
  });

  it('lets a call pass that it allows too', async () => {
    const gate = new Gate();
    const world = await heldAfterCommit(gate);
    const run = await world.run();
    const call = toolCall({ tool_name: 'ls' });
    const asked = run.client.request('tool.call.begin', call);
    await gate.reached;
    await loadPolicy(world, bundle('BLOCK', '2'));
    gate.open();
    expect((await asked).status).toBe('success');
    expect((await run.client.request('tool.call.end', toolEnd(call.call_id))).status).toBe('success');
    expect((await run.client.request('run.read', {})).data).toMatchObject({
      counters: { calls_total: 1, calls_allowed: 1, calls_blocked: 0, errors_total: 0 },
    });
  });

  it('refuses also when the end cannot be written, and the call is closed with its run', async () => {
    const gate = new Gate();
    let broken = false;
    const world = await start({
      policy: bundle('none', '1'),
      wrapLedger: between(async (group, next) => {
        const last = group.entries.at(-1)?.type;
        if (broken && last === 'tool_call_end') throw new Error('disk is gone');
        const result = await next();
        if (last === 'tool_call_decision') await gate.pass();
        return result;
      }),
    });
    const run = await world.run();
    const asked = run.client.request('tool.call.begin', toolCall({ tool_name: 'rm' }));
    await gate.reached;
    await loadPolicy(world, bundle('BLOCK', '2'));
    broken = true;
    gate.open();
    expect((await asked).error?.code).toBe('policy_blocked');
    broken = false;
    expect((await run.client.request('run.end', { status: 'SUCCEEDED' })).status).toBe('success');
    expect(world.rows('tool_call_end').map((row) => row.code)).toEqual(['ERROR']);
    await world.gateway.stop('test');
    expect(await world.verify()).toBe('ok');
  });
});

describe('a policy that changes while the gateway starts', () => {
  it('is loaded, although the file had been read before', async () => {
    const { home } = temporaryHome();
    const policyFile = homePaths(home).policy;
    let changed = false;
    const world = await start({
      home,
      policy: bundle('none', '1'),
      wrapLedger: between(async (group, next) => {
        if (!changed && group.entries[0]?.type === 'policy_loaded') {
          changed = true;
          writeFileSync(policyFile, bundle('BLOCK', '2'), { mode: 0o600 });
        }
        return await next();
      }),
    });
    const operator = await world.operator();
    const shown = async () => dataOf(await operator.request('policy.show', {}));
    await eventually('the second policy decides', async () => (await shown())['policy_version'] === '2');
    expect(await shown()).toMatchObject({ policy_version: '2', source: 'file', error: null });
  });
});
