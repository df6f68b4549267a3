import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { startGateway } from '@subluminal/daemon';
import { homePaths } from '@subluminal/ipc';
import { describe, expect, it } from 'vitest';
import { eventually } from '../harness/processes.js';
import { dataOf, runBegin, start, temporaryHome, toolCall, type TestGateway } from './harness.js';

function bundle(rules: string, more = ''): string {
  return `policy_id: test
version: "1"
mode: guardrails
defaults: { decision_on_error: BLOCK }
selectors: {}
${more}rules:${rules === '' ? ' []' : `\n${rules}`}
`;
}

const deny = (tool: string): string => `  - rule_id: no-${tool}
    kind: deny
    enabled: true
    severity: critical
    match: { tool_name: { glob: [${tool}] } }
    effect: { action: BLOCK, reason_code: DENYLIST_MATCH, message: ${tool} is not allowed }
`;

async function decisionOn(world: TestGateway, tool: string): Promise<unknown> {
  const run = await world.run();
  const answer = await run.client.request('tool.call.begin', toolCall({ tool_name: tool }));
  const { decision } = dataOf(answer);
  return (decision as { action?: unknown }).action;
}

async function untilPolicy(
  world: TestGateway,
  check: (policy: Record<string, unknown>) => boolean,
): Promise<Record<string, unknown>> {
  const operator = await world.operator();
  for (;;) {
    const policy = dataOf(await operator.request('policy.show', {}));
    if (check(policy)) return policy;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

describe('a refused call', () => {
  it('is recorded as start, decision and end in one commit, and the answer carries the decision', async () => {
    const world = await start({ policy: bundle(deny('rm')) });
    const run = await world.run();
    const answer = await run.client.request('tool.call.begin', toolCall({ tool_name: 'rm' }));
    expect([answer.status, answer.error?.code]).toEqual(['error', 'policy_blocked']);
    expect(dataOf(answer)['decision']).toEqual({
      action: 'BLOCK',
      rule_id: 'no-rm',
      severity: 'critical',
      reason_code: 'DENYLIST_MATCH',
      summary: 'rm is not allowed',
    });
    const rows = world
      .rows()
      .filter((row) => row.runId === run.id)
      .slice(-3);
    expect(rows.map((row) => [row.type, row.code])).toEqual([
      ['tool_call_start', null],
      ['tool_call_decision', 'BLOCK'],
      ['tool_call_end', 'ERROR'],
    ]);
    expect(rows[2]?.data).toMatchObject({ error: { class: 'policy_block', code: 'DENYLIST_MATCH' } });
    expect((await run.client.request('run.read', {})).data).toMatchObject({
      counters: { calls_total: 1, calls_allowed: 0, calls_blocked: 1, errors_total: 0 },
    });
    expect(world.rows('run_start')[0]?.data).toMatchObject({
      policy: { policy_id: 'test', policy_version: '1' },
      run: { mode: 'guardrails' },
    });
  });

  it('is refused whatever its size: arguments that were not inspected match a deny', async () => {
    const world = await start({ policy: bundle(deny('rm')) });
    const run = await world.run();
    const { args: _, ...call } = toolCall({
      tool_name: 'rm',
      bytes_in: 70_000_000,
      uninspected: { stream_hash: 'a'.repeat(64), bytes: 70_000_000 },
    });
    expect((await run.client.request('tool.call.begin', call)).error?.code).toBe('policy_blocked');
  });

  it('of an identity that no policy is meant for is blocked', async () => {
    const world = await start({ policy: bundle('').replace('selectors: {}', 'selectors: { env: [prod] }') });
    const operator = await world.operator();
    expect((await operator.request('run.begin', runBegin())).status).toBe('success');
    expect(await decisionOn(world, 'read_file')).toBe('BLOCK');
  });
});

describe('the policy file', () => {
  it('is loaded when it appears, and again when it changes, each time with an entry', async () => {
    const world = await start();
    expect(await decisionOn(world, 'rm')).toBe('ALLOW');
    writeFileSync(world.paths.policy, bundle(deny('rm')), { mode: 0o600 });
    await untilPolicy(world, (policy) => policy['source'] === 'file');
    expect(await decisionOn(world, 'rm')).toBe('BLOCK');
    writeFileSync(`${world.paths.policy}.new`, bundle(deny('mv')), { mode: 0o600 });
    renameSync(`${world.paths.policy}.new`, world.paths.policy);
    const homes = () => world.rows('policy_loaded').filter(({ runId }) => runId === null);
    const hash = homes().at(-1)?.data['policy'] as { policy_hash: string };
    await untilPolicy(world, (policy) => policy['policy_hash'] !== hash.policy_hash);
    expect([await decisionOn(world, 'rm'), await decisionOn(world, 'mv')]).toEqual(['ALLOW', 'BLOCK']);
    const loads = homes();
    expect(loads.map((row) => row.data['loosened'])).toEqual([false, false, true]);
    expect(loads[2]?.data['previous_hash']).toBe(hash.policy_hash);
  });

  it('is told once to each live run, also where it was another one before a restart', async () => {
    const world = await start({ policy: bundle(deny('rm')) });
    const [one, other] = [await world.run(), await world.run()];
    await other.client.request('run.end', { status: 'SUCCEEDED' });
    const told = () =>
      world.rows('policy_loaded').filter(({ runId, data }) => runId !== null && data['source'] === 'home');
    expect(told()).toEqual([]);
    const load = async (tool: string): Promise<void> => {
      const before = told().length;
      writeFileSync(world.paths.policy, bundle(deny(tool)), { mode: 0o600 });
      await (await world.operator()).request('policy.reload', {});
      await (await world.operator()).request('policy.reload', {});
      await eventually('the run is told', () => told().length > before);
    };
    await load('mv');
    await world.gateway.stop('test');
    writeFileSync(world.paths.policy, bundle(deny('cp')), { mode: 0o600 });
    await world.restart();
    await eventually('the run is told', () => told().length > 1);
    const homes = world.rows('policy_loaded').filter(({ runId }) => runId === null);
    expect(told().map(({ runId, data }) => [runId, data['policy']])).toEqual([
      [one.id, homes[1]?.data['policy']],
      [one.id, homes[2]?.data['policy']],
    ]);
  });

  it('with a mistake keeps the last good policy, says why, and does so after a restart too', async () => {
    const world = await start({ policy: bundle(deny('rm')) });
    writeFileSync(world.paths.policy, bundle('  - rule_id: x\n    kind: nonsense\n'), { mode: 0o600 });
    const policy = await untilPolicy(world, (shown) => shown['error'] !== null);
    expect(policy).toMatchObject({ source: 'stored', error: { code: 'policy_invalid' } });
    expect((policy['error'] as { problems: unknown[] }).problems[0]).toMatchObject({
      line: expect.any(Number),
      severity: 'error',
    });
    expect(await decisionOn(world, 'rm')).toBe('BLOCK');
    const reload = await (await world.operator()).request('policy.reload', {});
    expect(reload.error?.code).toBe('policy_invalid');
    await world.restart();
    expect(await decisionOn(world, 'rm')).toBe('BLOCK');
    const status = dataOf(await (await world.operator()).request('gateway.status', {}));
    expect(status['policy']).toMatchObject({ source: 'stored', error: { code: 'policy_invalid' } });
  });

  it('with a credential in a wrong place shows it to nobody', async () => {
    const world = await start({ policy: bundle(deny('rm')) });
    const token = `ghp_${'a1B2'.repeat(9)}`;
    writeFileSync(world.paths.policy, bundle(`  - rule_id: x\n    ${token}: 1\n`), { mode: 0o600 });
    await untilPolicy(world, (shown) => shown['error'] !== null);
    const operator = await world.operator();
    const answers = [];
    for (const action of ['policy.reload', 'gateway.status', 'policy.show'])
      answers.push(await operator.request(action, {}));
    expect(JSON.stringify(answers)).toContain('[REDACTED]');
    expect(JSON.stringify(answers)).not.toContain(token);
  });

  it('that is removed after it was loaded leaves its rules in force', async () => {
    const world = await start({ policy: bundle(deny('rm')) });
    rmSync(world.paths.policy);
    await untilPolicy(world, (policy) => policy['error'] !== null);
    expect(await decisionOn(world, 'rm')).toBe('BLOCK');
    await world.restart();
    expect(await decisionOn(world, 'rm')).toBe('BLOCK');
  });

  it.each([
    ['that others can write', (path: string) => chmodSync(path, 0o666)],
    [
      'that is a link',
      (path: string) => {
        renameSync(path, `${path}.real`);
        symlinkSync(`${path}.real`, path);
      },
    ],
  ])('%s is not loaded', async (_name, change) => {
    const world = await start({ policy: bundle(deny('rm')) });
    writeFileSync(world.paths.policy, bundle(''), { mode: 0o600 });
    change(world.paths.policy);
    expect((await (await world.operator()).request('policy.reload', {})).error?.code).toBe('policy_invalid');
    expect(await decisionOn(world, 'rm')).toBe('BLOCK');
  });

  it.each([
    ['has a mistake', (path: string) => writeFileSync(path, 'rules: [', { mode: 0o600 })],
    ['others can write', (path: string) => chmodSync(path, 0o664)],
    [
      'is no file',
      (path: string) => {
        rmSync(path);
        mkdirSync(path);
      },
    ],
  ])(
    'that %s and is the first of its home stops the start: nothing is allowed for want of it',
    async (_name, spoil) => {
      const { home, headsLog } = temporaryHome();
      const { policy } = homePaths(home);
      writeFileSync(policy, bundle(deny('rm')), { mode: 0o600 });
      spoil(policy);
      await expect(startGateway({ home, headsLog })).rejects.toMatchObject({ code: 'policy_invalid' });
      rmSync(policy, { recursive: true });
      const gateway = await startGateway({ home, headsLog });
      await gateway.stop('test');
    },
  );

  it('of ten thousand rules is in force', { timeout: 120_000 }, async () => {
    const rules = Array.from({ length: 10_000 }, (_, at) => ({
      rule_id: `rule-${at}`,
      kind: 'deny',
      enabled: true,
      severity: 'warn',
      match: { tool_name: { glob: [`delete_thing_${at}`] } },
      effect: { action: 'BLOCK', reason_code: 'NO', message: 'no' },
    }));
    const defaults = { decision_on_error: 'BLOCK' };
    const frame = { policy_id: 'test', version: '1', mode: 'guardrails', defaults, selectors: {} };
    const world = await start({ policy: JSON.stringify({ ...frame, rules }) });
    expect(await decisionOn(world, 'delete_thing_9999')).toBe('BLOCK');
    expect(await decisionOn(world, 'delete_thing_10000')).toBe('ALLOW');
  });

  it('that asks for a kind of rule which is not enforced yet is not loaded', async () => {
    const world = await start({ policy: bundle(deny('rm')) });
    const dedupe = `  - rule_id: d
    kind: dedupe
    enabled: true
    severity: warn
    match: {}
    effect: { dedupe: { scope: run, window_ms: 1000, key: custom, on_duplicate: BLOCK } }
`;
    writeFileSync(world.paths.policy, bundle(dedupe), { mode: 0o600 });
    const reload = await (await world.operator()).request('policy.reload', {});
    expect([reload.status, reload.error?.code]).toEqual(['error', 'policy_invalid']);
    expect(await decisionOn(world, 'rm')).toBe('BLOCK');
  });

  it('is not loaded when its entry cannot be recorded', async () => {
    let broken = false;
    const world = await start({
      policy: bundle(deny('rm')),
      wrapLedger: (ledger) =>
        new Proxy(ledger, {
          get(target, key) {
            const value: unknown = Reflect.get(target, key, target);
            if (key === 'append') {
              return (group: Parameters<typeof ledger.append>[0]) =>
                broken && group.entries[0]?.type === 'policy_loaded'
                  ? Promise.reject(new Error('disk is gone'))
                  : target.append(group);
            }
            return typeof value === 'function' ? value.bind(target) : value;
          },
        }),
    });
    broken = true;
    writeFileSync(world.paths.policy, bundle(''), { mode: 0o600 });
    expect((await (await world.operator()).request('policy.reload', {})).error?.code).toBe(
      'audit_unavailable',
    );
    expect(await decisionOn(world, 'rm')).toBe('BLOCK');
    broken = false;
  });
});
