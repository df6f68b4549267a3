import { writeFileSync } from 'node:fs';
import { Decision, RunOpened, type JsonObject } from '@subluminal/core-types';
import { readCredential } from '@subluminal/ipc';
import SqliteDatabase from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { dataOf, runBegin, start, toolCall, toolEnd, type TestGateway, type TestRun } from './harness.js';
import { breaker, bucket, budget, bundle, deny } from './policy-bundle.js';

const HOME = bundle([deny('no-removing', 'remove'), budget('calls', '*', 6)]);

/** A run that brings a policy along. */
async function narrowed(world: TestGateway, text: string, more: object = {}): Promise<TestRun> {
  const operator = await world.operator();
  const answer = await operator.request('run.begin', runBegin({ policy: { text, format: 'json' }, ...more }));
  const { run_id: id, credential } = RunOpened.parse(answer.data);
  return { id, credential, client: await world.connect(credential) };
}

async function ask(world: TestGateway, run: TestRun, tool_name: string, args: object = {}): Promise<string> {
  const client = await world.connect(run.credential);
  const call = toolCall({ tool_name, args });
  const answer = await client.request('tool.call.begin', call);
  const { action, rule_id } = Decision.parse(dataOf(answer)['decision']);
  if (action === 'ALLOW') await client.request('tool.call.end', toolEnd(call.call_id));
  return rule_id === null ? action : `${action} ${rule_id}`;
}

const times = async (count: number, one: () => Promise<string>): Promise<string[]> => {
  const answers: string[] = [];
  for (let n = 0; n < count; n += 1) answers.push(await one());
  return answers;
};

/** What the decisions of a run tell of both policies. */
function told(world: TestGateway, run: TestRun): unknown[] {
  return world
    .rows('tool_call_decision')
    .filter(({ runId }) => runId === run.id)
    .map(({ data }) => {
      const { policies } = data['facts'] as JsonObject;
      const { by, home, run: own } = policies as { by: string; home: JsonObject; run: JsonObject };
      return [by, home['action'], own['action'], (data['policy'] as JsonObject)['policy_id']];
    });
}

describe('a policy that a run brings along', () => {
  it('refuses what it refuses, and nothing that the home refuses passes by it', async () => {
    const world = await start({ policy: HOME });
    const own = bundle(
      [
        deny('no-writing', 'write'),
        {
          rule_id: 'all',
          kind: 'allow',
          enabled: true,
          severity: 'info',
          match: {},
          effect: { action: 'ALLOW', reason_code: 'R', message: '' },
        },
      ],
      { policy_id: 'own', version: '7' },
    );
    const run = await narrowed(world, own);
    const other = await world.run();
    expect([
      await ask(world, run, 'read'),
      await ask(world, run, 'write'),
      await ask(world, run, 'remove'),
      await ask(world, other, 'write'),
    ]).toEqual(['ALLOW', 'BLOCK no-writing', 'BLOCK no-removing', 'ALLOW']);
    expect(told(world, run)).toEqual([
      ['home', 'ALLOW', 'ALLOW', 'limits'],
      ['run', 'ALLOW', 'BLOCK', 'own'],
      ['home', 'BLOCK', 'ALLOW', 'limits'],
    ]);
    const [start_, loaded] = world.rows().filter(({ runId }) => runId === run.id);
    expect(start_?.data['run']).toMatchObject({
      policy: { policy_id: 'own', policy_version: '7', mode: 'guardrails' },
    });
    expect(loaded).toMatchObject({
      type: 'policy_loaded',
      data: { source: 'run', policy: { policy_id: 'own' } },
    });
    expect(Object.keys(loaded?.blobs ?? {})).toEqual(['policy.bundle']);
    await world.gateway.stop('test');
    expect(await world.verify()).toBe('ok');
  });

  const limits = [
    ['budget', budget('calls', '*', 3, { scope: 'run' }), 'BLOCK calls', {}],
    [
      'bucket',
      bucket('calls', '*', { capacity: 3, refill_tokens: 1, refill_period_ms: 3_600_000 }),
      'THROTTLE calls',
      {},
    ],
    [
      'breaker',
      breaker('calls', '*', { repeat_threshold: 3, repeat_window_ms: 3_600_000 }),
      'BLOCK calls',
      {},
    ],
  ] as const;

  it.each(limits)(
    'with a %s has counted what it had after a restart, kept or counted anew',
    async (_, rule, refusal) => {
      const world = await start({ policy: HOME });
      const run = await narrowed(world, bundle([rule], { policy_id: 'own' }));
      expect(await times(2, () => ask(world, run, 'read'))).toEqual(['ALLOW', 'ALLOW']);
      await world.restart();
      expect(await times(2, () => ask(world, run, 'read'))).toEqual(['ALLOW', refusal]);
      await world.gateway.stop('test');
      const db = new SqliteDatabase(world.paths.gatewayDb);
      db.exec('DELETE FROM run_limits; DELETE FROM limits_mark');
      db.close();
      await world.restart();
      expect(await ask(world, run, 'read')).toBe(refusal);
      // The home's own rule of that name has counted five calls of six, and goes on by itself.
      expect(await ask(world, await world.run(), 'read')).toBe('ALLOW');
      await world.gateway.stop('test');
      expect(await world.verify()).toBe('ok');
    },
  );

  it('stays when the policy of the home is loaded anew, with what it has counted', async () => {
    const world = await start({ policy: HOME });
    const run = await narrowed(world, bundle([budget('calls', '*', 2)], { policy_id: 'own' }));
    expect(await ask(world, run, 'read')).toBe('ALLOW');
    writeFileSync(world.paths.policy, bundle([deny('no-reading', 'read')]), { mode: 0o600 });
    await (await world.operator()).request('policy.reload', {});
    expect(await ask(world, run, 'read')).toBe('BLOCK no-reading');
    writeFileSync(world.paths.policy, bundle([]), { mode: 0o600 });
    await (await world.operator()).request('policy.reload', {});
    expect(await ask(world, run, 'read')).toBe('BLOCK calls');
  });

  it('that only observes refuses nothing, and says what it would have refused', async () => {
    const world = await start({ policy: HOME });
    const run = await narrowed(
      world,
      bundle([deny('no-reading', 'read')], { mode: 'observe', policy_id: 'own' }),
    );
    expect([await ask(world, run, 'read'), await ask(world, run, 'remove')]).toEqual([
      'ALLOW no-reading',
      'BLOCK no-removing',
    ]);
    const [decision] = world.rows('tool_call_decision');
    expect(decision?.data).toMatchObject({
      decision: { action: 'ALLOW', rule_id: 'no-reading', shadow: 'BLOCK' },
      facts: { policies: { by: 'run', run: { action: 'ALLOW', shadow: 'BLOCK' } } },
    });
  });

  it('ends its run where it says so', async () => {
    const world = await start({ policy: HOME });
    const ends = budget('one', '*', 1, { on_exceed: 'TERMINATE_RUN', terminate_code: 'ENOUGH' });
    const run = await narrowed(world, bundle([ends]));
    expect(await times(2, () => ask(world, run, 'read'))).toEqual(['ALLOW', 'TERMINATE_RUN one']);
    await expect(ask(world, run, 'read')).rejects.toThrow(/./);
    await world.gateway.stop('test');
    expect(world.rows('run_end').map(({ runId, code }) => [runId, code])).toContainEqual([
      run.id,
      'TERMINATED',
    ]);
  });

  it('whose text is lost ends the run at the next start: nothing is loosened by being forgotten', async () => {
    const world = await start({ policy: HOME });
    const [lost, changed, kept] = [
      await narrowed(world, bundle([deny('no', 'write')])),
      await narrowed(world, bundle([deny('no', 'write')])),
      await narrowed(world, bundle([deny('no', 'write')])),
    ];
    await world.gateway.stop('test');
    const db = new SqliteDatabase(world.paths.gatewayDb);
    db.prepare('DELETE FROM run_policy WHERE run_id = ?').run(lost.id);
    db.prepare(`UPDATE run_policy SET plain = replace(plain, 'write', 'wrote') WHERE run_id = ?`).run(
      changed.id,
    );
    db.close();
    await world.restart();
    expect(new Set(world.rows('run_end').map(({ runId }) => runId))).toEqual(new Set([lost.id, changed.id]));
    expect(await ask(world, kept, 'write')).toBe('BLOCK no');
  });

  it('is not taken from who may only enrol, and not with a mistake', async () => {
    const world = await start({ policy: HOME });
    const operator = await world.operator();
    const wrong = bundle([deny('no', 'write', { action: 'PERHAPS' })]);
    const refused = await operator.request(
      'run.begin',
      runBegin({ policy: { text: wrong, format: 'json' } }),
    );
    expect(refused).toMatchObject({
      status: 'error',
      error: { code: 'policy_invalid', message: /line 1, column \d+/ },
    });
    const enrolling = await world.connect(readCredential(world.paths.enrolKey));
    const begun = await enrolling.request(
      'run.begin',
      runBegin({ policy: { text: bundle([]), format: 'json' } }),
    );
    expect(begun).toMatchObject({ error: { code: 'not_permitted' } });
    expect(world.rows('run_start')).toEqual([]);
  });

  it('gives hints that cannot be promoted, and is explained beside that of the home', async () => {
    const world = await start({ policy: HOME });
    const hinting = deny('no-main', 'push', { hint_text: 'another branch' });
    const run = await narrowed(world, bundle([hinting], { mode: 'control', policy_id: 'own' }));
    expect(await ask(world, run, 'push')).toBe('REJECT_WITH_HINT no-main');
    const [hint] = world.rows('hint_issued');
    const { call_id } = (hint?.data['call'] ?? {}) as JsonObject;
    const operator = await world.operator();
    const promoted = await operator.request('hints.promote', { run_id: run.id, call_id, any_args: true });
    expect(promoted).toMatchObject({ error: { message: /the policy that the run was given/ } });
    expect(await ask(world, run, 'push')).toBe('REJECT_WITH_HINT no-main');
    const explained = dataOf(
      await operator.request('policy.explain', {
        run_id: run.id,
        server_name: 'fs',
        tool_name: 'push',
        args: {},
      }),
    );
    expect(explained).toMatchObject({
      by: 'run',
      effective: { action: 'ALLOW' },
      run_policy: { policy_id: 'own', effective: { action: 'REJECT_WITH_HINT', rule_id: 'no-main' } },
    });
  });

  it('leaves its shims nothing to decide alone', async () => {
    const open = bundle([], { defaults: { decision_on_error: 'BLOCK', fail_open_read_tools: true } });
    const world = await start({ policy: open });
    const pushed: unknown[] = [];
    let turn = 0;
    const begin = async (more: object): Promise<number> => {
      const operator = await world.operator();
      const { credential } = RunOpened.parse(
        (await operator.request('run.begin', runBegin({ ...more }))).data,
      );
      const client = await world.connect(credential, (event) => pushed.push(event));
      const { pid, start: started } = runBegin()['holder'] as { pid: number; start: string };
      const token = 't'.repeat((turn += 1) + 24);
      const upstream = {
        shim_id: 'shim-1',
        proc_id: 'p',
        server_name: 'fs',
        argv_hash: 'a'.repeat(64),
        token,
        shim: { pid, start: started },
      };
      const answer = await client.request('upstream.begin', upstream);
      expect(answer).toMatchObject({ status: 'success' });
      await client.request('run.read', {});
      return pushed.splice(0).length;
    };
    expect(await begin({})).toBe(1);
    expect(await begin({ policy: { text: bundle([]), format: 'json' } })).toBe(0);
    expect(await begin({ strict: true })).toBe(0);
  });
});
