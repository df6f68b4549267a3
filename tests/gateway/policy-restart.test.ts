import { copyFileSync, writeFileSync } from 'node:fs';
import { Decision, type JsonObject } from '@subluminal/core-types';
import SqliteDatabase from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { between } from './between.js';
import { dataOf, start, toolCall, toolEnd, type TestGateway, type TestRun } from './harness.js';
import { breaker, bucket, budget, bundle, dedupe } from './policy-bundle.js';

const POLICY = bundle([
  budget('calls', '*', 1000),
  budget('of-each', '*', 100, { scope: 'tool', on_exceed: 'TERMINATE_RUN' }),
  bucket('slow', 'b*', { capacity: 9, refill_tokens: 1, refill_period_ms: 1000 }),
  breaker('errors', '*', { error_threshold: 5, scope: 'tool' }),
  breaker('loop', '*', { repeat_threshold: 6, on_trip: 'REJECT_WITH_HINT' }),
  dedupe('once', 'c*', 60_000),
]);
const TOOLS = ['a', 'b', 'c'] as const;

/** Calls of all kinds, some without an end, some with an end that is reported with the next. */
async function live(world: TestGateway, run: TestRun, count: number, tick: () => void): Promise<void> {
  let carried: object[] = [];
  const client = await world.connect(run.credential);
  for (let n = 0; n < count; n += 1) {
    tick();
    const args = { n: n % 7 };
    const ends = carried.length === 0 ? {} : { ends: carried };
    const call = toolCall({ tool_name: TOOLS[n % 3], args, ...ends });
    carried = [];
    const answer = await client.request('tool.call.begin', call);
    if (Decision.parse(dataOf(answer)['decision']).action !== 'ALLOW') continue;
    if (n % 4 === 1) {
      // Its server asks for input, and it goes on; the other half fails, or is never heard of.
      await client.request('tool.call.end', toolEnd(call.call_id, { asks_input: true }));
      const again = toolCall({ tool_name: TOOLS[n % 3], args, continues: call.call_id });
      tick();
      const then = Decision.parse(dataOf(await client.request('tool.call.begin', again))['decision']);
      const error = { status: 'ERROR', error: { class: 'upstream_error', message: 'no' } };
      if (then.action === 'ALLOW' && n % 8 === 1)
        await client.request('tool.call.end', toolEnd(again.call_id, error));
      continue;
    }
    const failed = { status: 'ERROR', error: { class: 'upstream_error', message: 'no' } };
    const end = toolEnd(call.call_id, n % 4 === 0 ? failed : {});
    if (n % 5 === 0) carried = [end];
    else if (n % 6 !== 0) await client.request('tool.call.end', end);
  }
  if (carried.length > 0) await client.request('tool.call.end', carried[0]);
}

/** What every limit has counted, in words of the trace. */
async function meters(world: TestGateway, runId: string, now: number): Promise<unknown> {
  const operator = await world.operator();
  const shown: unknown[] = [];
  for (const tool_name of TOOLS) {
    for (const n of [0, 3]) {
      const about = { run_id: runId, server_name: 'fs', tool_name, args: { n }, now };
      const { trace, decision } = dataOf(await operator.request('policy.explain', about));
      shown.push([trace, decision]);
    }
  }
  // Of errors and repeats only as many are kept as bind.
  return JSON.parse(JSON.stringify(shown), (_key, value: unknown) =>
    isMeter(value) ? { ...value, used: Math.min(value.used, value.limit) } : value,
  );
}

function isMeter(value: unknown): value is { readonly used: number; readonly limit: number } {
  return typeof value === 'object' && value !== null && 'used' in value && 'limit' in value;
}

function forget(path: string): void {
  const db = new SqliteDatabase(path);
  db.exec('DELETE FROM run_limits; DELETE FROM limits_mark');
  db.close();
}

describe('a run that goes on in the next gateway', () => {
  const ways = ['as it was kept', 'kept before the last calls', 'with nothing kept'] as const;
  const layouts = [
    { where: 'one file', config: '' },
    { where: 'many files', config: '[ledger]\nsegment_mb = 1\n' },
  ];
  const cases = ways.flatMap((way) => layouts.map((layout) => ({ way, ...layout })));

  it.each(cases)('finds its limits as they were: $way, $where', async ({ way, config }) => {
    let now = Date.now();
    const clock = (): number => now;
    const world = await start({ policy: POLICY, clock, config });
    const run = await world.run();
    const tick = (): void => {
      now += 37;
    };
    await live(world, run, 40, tick);
    await world.gateway.stop('test');
    copyFileSync(world.paths.gatewayDb, `${world.paths.gatewayDb}.early`);
    await world.restart();
    await live(world, run, 60, tick);
    // Calls that nobody reports any more are closed by the next start, as errors; so that both have the same,
    // they are now.
    await world.restart();
    const before = await meters(world, run.id, now);
    expect(JSON.stringify(before)).toContain('meter');
    expect(JSON.stringify(world.rows('tool_call_decision'))).toContain('"continues":');
    await world.gateway.stop('test');
    if (way === 'kept before the last calls')
      copyFileSync(`${world.paths.gatewayDb}.early`, world.paths.gatewayDb);
    if (way === 'with nothing kept') forget(world.paths.gatewayDb);
    await world.restart();
    expect(await meters(world, run.id, now)).toEqual(before);
    await world.gateway.stop('test');
    expect(await world.verify()).toBe('ok');
  });

  it('counts anew what was kept of another history', async () => {
    const world = await start({ policy: bundle([budget('three', '*', 3)]) });
    const run = await world.run();
    await run.client.request('tool.call.begin', toolCall());
    await world.gateway.stop('test');
    const db = new SqliteDatabase(world.paths.gatewayDb);
    db.exec(`UPDATE limits_mark SET leaf = '${'0'.repeat(64)}'; UPDATE run_limits SET kept = '{}'`);
    db.close();
    await world.restart();
    expect(await allowed(world, run, 4)).toBe(2);
  });

  it('counts anew a run whose kept limits cannot be read', async () => {
    const world = await start({ policy: bundle([budget('three', '*', 3)]) });
    const run = await world.run();
    await run.client.request('tool.call.begin', toolCall());
    await world.gateway.stop('test');
    const db = new SqliteDatabase(world.paths.gatewayDb);
    db.exec(`UPDATE run_limits SET kept = '{"state":'`);
    db.close();
    await world.restart();
    expect(await allowed(world, run, 4)).toBe(2);
  });

  it('ends where what it has used up cannot be counted', async () => {
    const world = await start({ policy: bundle([budget('three', '*', 3)]) });
    const run = await world.run();
    await run.client.request('tool.call.begin', toolCall());
    await world.gateway.stop('test');
    const db = new SqliteDatabase(world.paths.gatewayDb);
    db.exec(`UPDATE run_limits SET kept = json_set(kept, '$.state', json('{"v":"of a later version"}'))`);
    db.close();
    await world.restart();
    const client = await world.connect(run.credential);
    await expect(client.request('tool.call.begin', toolCall())).rejects.toBeDefined();
    expect(
      world.rows('run_end').map(({ code, data }) => [code, (data['run'] as JsonObject)['message']]),
    ).toEqual([['CANCELLED', 'the gateway could not count again what the run has used up']]);
  });

  it('counts a call that was cut off as an error', async () => {
    const world = await start({ policy: bundle([breaker('errors', '*', { error_threshold: 2 })]) });
    const run = await world.run();
    expect(await allowed(world, run, 2)).toBe(2);
    await world.restart();
    expect(world.rows('tool_call_end').map(({ code }) => code)).toEqual(['ERROR', 'ERROR']);
    expect(await allowed(world, run, 1)).toBe(0);
  });

  it('ends where a rule had ended it and its end was not written', async () => {
    const ending = { on_exceed: 'TERMINATE_RUN' };
    let isBroken = true;
    const world = await start({
      policy: bundle([budget('one', '*', 1, ending)]),
      wrapLedger: between(async (group, next) => {
        if (isBroken && group.entries.some(({ type }) => type === 'run_end')) throw new Error('disk is gone');
        return await next();
      }),
    });
    const run = await world.run();
    expect(await allowed(world, run, 1)).toBe(1);
    const last = await run.client.request('tool.call.begin', toolCall());
    expect(last.error?.code).toBe('run_terminated');
    expect(world.rows('run_end')).toEqual([]);
    await world.gateway.stop('test');
    forget(world.paths.gatewayDb);
    isBroken = false;
    await world.restart();
    expect(world.rows('run_end').map(({ code }) => code)).toEqual(['TERMINATED']);
    const client = await world.connect(run.credential);
    await expect(client.request('tool.call.begin', toolCall())).rejects.toBeDefined();
  });

  it('forgets a run that has ended', async () => {
    const world = await start({ policy: bundle([budget('three', '*', 3)]) });
    const [one, other] = [await world.run(), await world.run()];
    for (const run of [one, other]) await run.client.request('tool.call.begin', toolCall());
    await world.restart();
    const client = await world.connect(one.credential);
    expect((await client.request('run.end', { status: 'SUCCEEDED' })).status).toBe('success');
    await world.gateway.stop('test');
    const db = new SqliteDatabase(world.paths.gatewayDb);
    expect(db.prepare('SELECT run_id FROM run_limits').pluck().all()).toEqual([other.id]);
    db.close();
    await world.restart();
  });
});

async function allowed(world: TestGateway, run: TestRun, asked: number): Promise<number> {
  const client = await world.connect(run.credential);
  let count = 0;
  for (let n = 0; n < asked; n += 1)
    if ((await client.request('tool.call.begin', toolCall())).status === 'success') count += 1;
  return count;
}

describe('a breaker whose threshold is raised', () => {
  it.each([
    ['in the same gateway', 'none'],
    ['after a restart', 'kept'],
    ['after a restart that finds nothing kept', 'forgotten'],
  ])('finds the errors that the lower one did not need, %s', async (_, restart) => {
    const policy = (error_threshold: number): string => bundle([breaker('errors', '*', { error_threshold })]);
    const world = await start({ policy: policy(2) });
    const run = await world.run();
    const calls = Array.from({ length: 30 }, () => toolCall());
    for (const call of calls) await run.client.request('tool.call.begin', call);
    for (const { call_id } of calls) {
      const error = { class: 'upstream_error', message: 'no' };
      await run.client.request('tool.call.end', toolEnd(call_id, { status: 'ERROR', error }));
    }
    if (restart !== 'none') {
      await world.gateway.stop('test');
      if (restart === 'forgotten') forget(world.paths.gatewayDb);
      await world.restart();
    }
    const raised = async (error_threshold: number): Promise<number> => {
      writeFileSync(world.paths.policy, policy(error_threshold), { mode: 0o600 });
      const answer = await (await world.operator()).request('policy.reload', {});
      expect(answer.status).toBe('success');
      return await allowed(world, run, 1);
    };
    expect(await raised(30)).toBe(0);
    expect(await raised(31)).toBe(1);
  });
});
