import { copyFileSync, writeFileSync } from 'node:fs';
import { Decision, type ActionResponse, type ProcessIdentity } from '@subluminal/core-types';
import type { GatewayClient } from '@subluminal/ipc';
import SqliteDatabase from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { runSub } from '../harness/resident.js';
import { between, Gate } from './between.js';
import { elsewhere } from './elsewhere.js';
import { dataOf, start, toolCall, type TestGateway, type TestRun } from './harness.js';
import { budget, bundle, deny } from './policy-bundle.js';

const POLICY = bundle(
  [
    deny(
      'no-main',
      { tool_name: { glob: ['push'] }, args: { key_equals: { branch: 'main' } } },
      {
        hint_text: 'push a branch of your own',
      },
    ),
    deny('no-force', { args: { key_equals: { force: true } } }, { hint_text: 'without force' }),
  ],
  { mode: 'control' },
);

const push = (args: object, tool_name = 'push') => toolCall({ tool_name, args: { branch: 'main', ...args } });

async function ask(client: GatewayClient, call: object): Promise<string> {
  const { action, rule_id } = Decision.parse(
    dataOf(await client.request('tool.call.begin', call))['decision'],
  );
  return action === 'ALLOW' ? action : `${action} ${rule_id}`;
}

/** A run with a hint for a call, and what promotes it. */
async function hinted(holder?: ProcessIdentity): Promise<{
  world: TestGateway;
  run: TestRun;
  callId: string;
  promote: (more?: object) => Promise<ActionResponse>;
}> {
  const world = await start({ policy: POLICY });
  const run = await world.run(undefined, holder);
  const call = push({ n: 1 });
  expect(await ask(run.client, call)).toBe('REJECT_WITH_HINT no-main');
  const promote = async (more: object = {}): Promise<ActionResponse> => {
    const payload = { run_id: run.id, call_id: call.call_id, ...more };
    return await (await world.operator()).request('hints.promote', payload);
  };
  return { world, run, callId: call.call_id, promote };
}

describe('a hint that the operator promotes', () => {
  it('waives its rule for these arguments of this tool in this run, and nothing else', async () => {
    const { world, run, callId, promote } = await hinted();
    const answer = await promote();
    expect(answer.status).toBe('success');
    expect(answer.data).toMatchObject({
      run_id: run.id,
      call_id: callId,
      rule_id: 'no-main',
      server_name: 'fs',
      tool_name: 'push',
      args_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      lifts: 'deny',
    });
    expect(await ask(run.client, push({ n: 1 }))).toBe('ALLOW');
    expect(await ask(run.client, push({ n: 2 }))).toBe('REJECT_WITH_HINT no-main');
    expect(await ask(run.client, push({ n: 1, force: true }))).toBe('REJECT_WITH_HINT no-main');
    const other = await world.run();
    expect(await ask(other.client, push({ n: 1 }))).toBe('REJECT_WITH_HINT no-main');
    const [promoted] = world.rows('hint_promoted');
    expect(promoted).toMatchObject({
      runId: run.id,
      tool: ['fs', 'push'],
      data: { call: { call_id: callId }, rule_id: 'no-main', hint_seq: world.rows('hint_issued')[0]?.seq },
    });
    const waived = world.rows('tool_call_decision').filter(({ data }) => data['facts'] !== undefined);
    expect(waived.find(({ code }) => code === 'ALLOW')?.data['facts']).toMatchObject({ waived: ['no-main'] });
    await world.gateway.stop('test');
    expect(await world.verify()).toBe('ok');
  });

  it('waives it for any arguments where that is asked, and no rule besides', async () => {
    const { run, promote } = await hinted();
    expect((await promote({ any_args: true })).data).toMatchObject({ args_hash: null });
    expect(await ask(run.client, push({ n: 2 }))).toBe('ALLOW');
    expect(await ask(run.client, push({ force: true }))).toBe('REJECT_WITH_HINT no-force');
  });

  it('stays promoted in the next gateway, whether or not it was kept', async () => {
    const { world, run, promote } = await hinted();
    await world.gateway.stop('test');
    copyFileSync(world.paths.gatewayDb, `${world.paths.gatewayDb}.early`);
    await world.restart();
    await promote();
    for (const way of ['kept', 'early', 'forgotten']) {
      await world.gateway.stop('test');
      if (way === 'early') copyFileSync(`${world.paths.gatewayDb}.early`, world.paths.gatewayDb);
      if (way === 'forgotten') {
        const db = new SqliteDatabase(world.paths.gatewayDb);
        db.exec('DELETE FROM run_limits; DELETE FROM limits_mark');
        db.close();
      }
      await world.restart();
      const client = await world.connect(run.credential);
      expect([way, await ask(client, push({ n: 1 }))]).toEqual([way, 'ALLOW']);
      expect([way, await ask(client, push({ n: 3 }))]).toEqual([way, 'REJECT_WITH_HINT no-main']);
    }
  });

  it('lifts a limit too, which counts on', async () => {
    const on_exceed = { on_exceed: 'REJECT_WITH_HINT', hint_text: 'ask for more' };
    const world = await start({ policy: bundle([budget('one', '*', 1, on_exceed)], { mode: 'control' }) });
    const run = await world.run();
    expect(await ask(run.client, toolCall())).toBe('ALLOW');
    const refused = toolCall();
    expect(await ask(run.client, refused)).toBe('REJECT_WITH_HINT one');
    const payload = { run_id: run.id, call_id: refused.call_id, any_args: true };
    expect((await (await world.operator()).request('hints.promote', payload)).status).toBe('success');
    expect(await ask(run.client, toolCall())).toBe('ALLOW');
    expect(await ask(run.client, toolCall({ tool_name: 'other' }))).toBe('REJECT_WITH_HINT one');
  });
});

describe('`sub hints promote`', () => {
  const promote = (world: TestGateway, callId: string): ReturnType<typeof runSub> =>
    runSub(['hints', 'promote', callId, '--yes', '--home', world.paths.home]);

  it('says that a deny which is lifted lets such calls through', async () => {
    const { world, run, callId } = await hinted(elsewhere());
    expect((await promote(world, callId)).stdout).toBe(
      'allowed: `fs.push` with the same arguments, despite rule `no-main`\n' +
        `until run \`${run.id}\` ends; every other rule decides as before\n`,
    );
  });

  it('says that a limit which is lifted leaves the call to the rest of the policy, which may refuse it', async () => {
    const one = budget('one', '*', 1, { on_exceed: 'REJECT_WITH_HINT', hint_text: 'ask for more' });
    const world = await start({ policy: bundle([one], { mode: 'control' }) });
    const run = await world.run(undefined, elsewhere());
    await ask(run.client, toolCall());
    const refused = toolCall();
    expect(await ask(run.client, refused)).toBe('REJECT_WITH_HINT one');
    const tool = `${String(refused.server_name)}.${String(refused.tool_name)}`;
    expect((await promote(world, refused.call_id)).stdout).toBe(
      `lifted: rule \`one\`, for \`${tool}\` with the same arguments\n` +
        `until run \`${run.id}\` ends; where no rule allows it, \`no_match\` still decides\n`,
    );
  });

  it('changes nothing, and says so, where the rule is gone', async () => {
    const { world, callId } = await hinted(elsewhere());
    writeFileSync(world.paths.policy, bundle([], { mode: 'control' }), { mode: 0o600 });
    expect((await (await world.operator()).request('policy.reload', {})).status).toBe('success');
    expect((await promote(world, callId)).stdout).toBe(
      'recorded; rule `no-main` is not in force now, so nothing changes\n',
    );
  });

  it('asks nothing once the run is over', async () => {
    const { world, run, callId } = await hinted(elsewhere());
    await (await world.operator()).request('run.end', { run_id: run.id, status: 'SUCCEEDED' });
    const { code, stdout, stderr } = await runSub(['hints', 'promote', callId, '--home', world.paths.home]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(`run \`${run.id}\` has ended`);
    expect(stderr).not.toContain('(y/N)');
  });
});

describe('promoting', () => {
  it('a hint that was not given is not found, nor is a call of another run', async () => {
    const { world, callId, promote } = await hinted(elsewhere());
    const other = await world.run();
    expect((await promote({ call_id: 'no-such-call' })).error?.code).toBe('not_found');
    expect((await promote({ run_id: other.id })).error?.code).toBe('not_found');
    expect((await promote({ run_id: 'nobody', call_id: callId })).error?.code).toBe('not_found');
    expect(world.rows('hint_promoted')).toEqual([]);
  });

  it('a hint of a run that has ended is refused', async () => {
    const { world, run, promote } = await hinted(elsewhere());
    await run.client.request('run.end', { status: 'SUCCEEDED' });
    expect((await promote()).error?.code).toBe('run_ended');
    expect(world.rows('hint_promoted')).toEqual([]);
  });

  it('is for the operator: a run cannot, for itself or another, and each attempt is recorded', async () => {
    const { world, run, callId } = await hinted(elsewhere());
    const asked = await run.client.request('hints.promote', { run_id: run.id, call_id: callId });
    expect([asked.error?.code, asked.auditRef === '']).toEqual(['not_permitted', false]);
    expect(await ask(run.client, push({ n: 1 }))).toBe('REJECT_WITH_HINT no-main');
    expect(world.rows('hint_promoted')).toEqual([]);
  });

  it('has no effect before its entry is durable, and none where it cannot be recorded', async () => {
    const gate = new Gate();
    let broken = false;
    const world = await start({
      policy: POLICY,
      wrapLedger: between(async (group, next) => {
        if (group.entries[0]?.type !== 'hint_promoted') return await next();
        if (broken) throw new Error('disk is gone');
        await gate.pass();
        return await next();
      }),
    });
    const run = await world.run(undefined, elsewhere());
    const call = push({ n: 1 });
    await ask(run.client, call);
    const operator = await world.operator();
    const payload = { run_id: run.id, call_id: call.call_id };
    broken = true;
    expect((await operator.request('hints.promote', payload)).error?.code).toBe('audit_unavailable');
    expect(await ask(run.client, push({ n: 1 }))).toBe('REJECT_WITH_HINT no-main');
    broken = false;
    const promoted = operator.request('hints.promote', payload);
    await gate.reached;
    expect(await ask(run.client, push({ n: 1 }))).toBe('REJECT_WITH_HINT no-main');
    gate.open();
    expect((await promoted).status).toBe('success');
    expect(await ask(run.client, push({ n: 1 }))).toBe('ALLOW');
  });
});
