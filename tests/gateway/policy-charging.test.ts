import { writeFileSync } from 'node:fs';
import { Decision, HintIssuedEvent, type ActionResponse, type JsonObject } from '@subluminal/core-types';
import type { GatewayClient } from '@subluminal/ipc';
import { openLedgerReader } from '@subluminal/ledger';
import SqliteDatabase from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { between, Gate } from './between.js';
import { dataOf, start, toolCall, toolEnd, type TestGateway, type TestRun } from './harness.js';
import { breaker, bucket, budget, bundle, dedupe, deny } from './policy-bundle.js';

/** A call's answer in two words. */
async function ask(client: GatewayClient, more: Record<string, unknown> = {}): Promise<string> {
  return wordsOf(await client.request('tool.call.begin', toolCall(more)));
}

function wordsOf(answer: ActionResponse): string {
  if (answer.data === undefined) return answer.error?.code ?? answer.status;
  const { action, reason_code: reason } = Decision.parse(dataOf(answer)['decision']);
  return action === 'ALLOW' ? 'ALLOW' : `${action} ${reason}`;
}

async function times(count: number, work: () => Promise<string>): Promise<string[]> {
  const words: string[] = [];
  for (let n = 0; n < count; n += 1) words.push(await work());
  return words;
}

async function load(world: TestGateway, text: string): Promise<void> {
  writeFileSync(world.paths.policy, text, { mode: 0o600 });
  expect((await (await world.operator()).request('policy.reload', {})).status).toBe('success');
}

const entriesOf = (world: TestGateway, run: TestRun): [string, string | null][] =>
  world
    .rows()
    .filter((row) => row.runId === run.id)
    .map((row) => [row.type, row.code]);

describe('a call is charged when it is decided', () => {
  it('so that of 64 that race for the last ten, over four connections, ten get it', async () => {
    const world = await start({ policy: bundle([budget('ten', '*', 10)]) });
    const run = await world.run();
    const clients = [run.client, ...(await Promise.all([1, 2, 3].map(() => world.connect(run.credential))))];
    const asked = Array.from({ length: 64 }, (_, n) => {
      const client = clients[n % clients.length] ?? run.client;
      return ask(client, { call_id: `race-${n % 4}-${String(n).padStart(8, '0')}` });
    });
    const words = await Promise.all(asked);
    expect(words.filter((word) => word === 'ALLOW')).toHaveLength(10);
    expect(words.filter((word) => word === 'BLOCK BUDGET_EXCEEDED')).toHaveLength(54);
    const allowed = world.rows('tool_call_decision').filter(({ code }) => code === 'ALLOW');
    expect(allowed).toHaveLength(10);
    for (const { data } of allowed) expect(data['facts']).toHaveProperty('charge');
    await world.gateway.stop('test');
    expect(await world.verify()).toBe('ok');
  });

  it('and another run has its own', async () => {
    const world = await start({ policy: bundle([budget('one', '*', 1)]) });
    const [one, other] = [await world.run(), await world.run()];
    expect(await times(2, () => ask(one.client))).toEqual(['ALLOW', 'BLOCK BUDGET_EXCEEDED']);
    expect(await times(2, () => ask(other.client))).toEqual(['ALLOW', 'BLOCK BUDGET_EXCEEDED']);
  });

  it('also where its entry cannot be written, and is refused then', async () => {
    let isBroken = false;
    const world = await start({
      policy: bundle([budget('two', '*', 2)]),
      wrapLedger: between(async (group, next) => {
        if (isBroken && group.entries.some(({ type }) => type === 'tool_call_decision'))
          throw new Error('disk is gone');
        return await next();
      }),
    });
    const run = await world.run();
    isBroken = true;
    expect(await ask(run.client)).toBe('audit_unavailable');
    isBroken = false;
    expect(await times(2, () => ask(run.client))).toEqual(['ALLOW', 'BLOCK BUDGET_EXCEEDED']);
  });

  it('and one that throttles says how long to wait, exactly', async () => {
    let now = Date.now();
    const world = await start({
      policy: bundle([
        bucket('slow', '*', { capacity: 2, refill_tokens: 1, refill_period_ms: 1000 }, { backoff_ms: 5 }),
      ]),
      clock: () => now,
    });
    const run = await world.run();
    expect(await times(2, () => ask(run.client))).toEqual(['ALLOW', 'ALLOW']);
    const answer = await run.client.request('tool.call.begin', toolCall());
    expect([answer.status, answer.error?.code]).toEqual(['rate_limited', 'policy_throttled']);
    expect(answer.error?.details).toEqual({ retry_after_ms: 1000 });
    expect(dataOf(answer)['decision']).toMatchObject({ action: 'THROTTLE', backoff_ms: 1000 });
    now += 999;
    expect(await ask(run.client)).toBe('THROTTLE RATE_LIMITED');
    now += 1;
    expect(await times(2, () => ask(run.client))).toEqual(['ALLOW', 'THROTTLE RATE_LIMITED']);
    expect((await run.client.request('run.read', {})).data).toMatchObject({
      counters: { calls_total: 6, calls_allowed: 3, calls_throttled: 3, calls_blocked: 0 },
    });
  });

  it('and one that was sent twice is refused the second time', async () => {
    const world = await start({ policy: bundle([dedupe('once', '*', 60_000)]) });
    const run = await world.run();
    const words = [
      await ask(run.client, { args: { a: 1, b: 2 } }),
      await ask(run.client, { args: { b: 2, a: 1 } }),
      await ask(run.client, { args: { a: 1, b: 3 } }),
    ];
    expect(words).toEqual(['ALLOW', 'BLOCK DUPLICATE_CALL', 'ALLOW']);
  });

  it('in observe mode too, where it says what would have been and forwards', async () => {
    const world = await start({ policy: bundle([budget('one', '*', 1)], { mode: 'observe' }) });
    const run = await world.run();
    expect(await times(3, () => ask(run.client))).toEqual(['ALLOW', 'ALLOW', 'ALLOW']);
    const shown = world.rows('tool_call_decision').map(({ data }) => data['decision'] as JsonObject);
    expect(shown.map((one) => one['shadow'] ?? null)).toEqual([null, 'BLOCK', 'BLOCK']);
    expect(shown[1]).toMatchObject({ action: 'ALLOW', rule_id: 'one' });
    expect(JSON.stringify(shown[1])).toContain('observe: would have');
  });
});

describe('the entry of a decision', () => {
  it('holds the arguments that some rule looks at, and no other', async () => {
    const rules = [
      deny('main', { args: { key_equals: { branch: 'main', force: true } } }),
      deny('big', { args: { numeric_range: { amount: { min: 100 } }, has_keys: ['password'] } }),
    ];
    const world = await start({ policy: bundle(rules) });
    const run = await world.run();
    const facts = async (args: object, more: object = {}): Promise<unknown> => {
      await ask(run.client, { args, ...more });
      return world.rows('tool_call_decision').at(-1)?.data['facts'];
    };
    expect(await facts({ branch: 'side', force: false, amount: 7, other: 'private' })).toEqual({
      args: { amount: 7, branch: 'side', force: false, password: null },
    });
    expect(await facts({ branch: 'b'.repeat(129), password: 'hunter2hunter2', force: { deep: 1 } })).toEqual({
      args: {
        amount: null,
        branch: { omitted: true },
        force: { omitted: true },
        password: { omitted: true },
      },
    });
    const uninspected = { stream_hash: 'a'.repeat(64), bytes: 9_000_000, arg_keys: ['branch', 'text'] };
    const { args: _, ...large } = toolCall({ uninspected });
    await run.client.request('tool.call.begin', large);
    expect(world.rows('tool_call_decision').at(-1)?.data['facts']).toEqual({
      args: { amount: null, branch: { omitted: true }, force: null, password: null },
    });
  });

  it('holds no name that looks like a credential, and the call is counted under it all the same', async () => {
    const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
    const rules = [
      budget('two', '*', 2, { scope: 'tool' }),
      breaker('loop', '*', { repeat_threshold: 9, scope: 'server_tool' }),
      dedupe('once', 'never-*', 60_000, { scope: 'server_tool' }),
    ];
    const world = await start({ policy: bundle(rules) });
    const run = await world.run();
    const named = { server_name: `s-${token}`, tool_name: `t-${token}` };
    expect(await ask(run.client, named)).toBe('ALLOW');
    const recorded = JSON.stringify(world.rows('tool_call_decision').map(({ data }) => data['facts']));
    expect(recorded).toContain('charge');
    expect(recorded).not.toContain(token);
    await world.gateway.stop('test');
    const db = new SqliteDatabase(world.paths.gatewayDb);
    db.exec('DELETE FROM run_limits; DELETE FROM limits_mark');
    db.close();
    await world.restart();
    const client = await world.connect(run.credential);
    expect(await times(2, () => ask(client, named))).toEqual(['ALLOW', 'BLOCK BUDGET_EXCEEDED']);
    expect(await ask(client, { ...named, tool_name: `t-${token}x` })).toBe('ALLOW');
  });

  it('holds no facts where no rule looks at an argument and none counts', async () => {
    const world = await start({ policy: bundle([deny('no-rm', 'rm')]) });
    const run = await world.run();
    await ask(run.client);
    expect(world.rows('tool_call_decision').at(-1)?.data).not.toHaveProperty('facts');
  });
});

describe('a breaker', () => {
  const three = { error_threshold: 3 };

  it('that trips is recorded in the commit of the call, once', async () => {
    const world = await start({ policy: bundle([breaker('loop', '*', { repeat_threshold: 3 })]) });
    const run = await world.run();
    const words = await times(5, () => ask(run.client));
    const tripped = words.indexOf('BLOCK BREAKER_REPEATS');
    expect(words.slice(tripped)).toEqual(words.slice(tripped).map(() => 'BLOCK BREAKER_REPEATS'));
    expect(tripped).toBeGreaterThan(0);
    const trips = world.rows('breaker_trip');
    expect(trips.map(({ data }) => data['breaker'])).toMatchObject([
      { rule_id: 'loop', reason_code: 'BREAKER_REPEATS' },
    ]);
    const at = trips[0]?.seq ?? 0;
    expect(
      world
        .rows()
        .slice(at - 2, at + 2)
        .map(({ type }) => type),
    ).toEqual(['tool_call_start', 'breaker_trip', 'tool_call_decision', 'tool_call_end']);
    await world.gateway.stop('test');
    expect(await world.verify()).toBe('ok');
  });

  it('counts errors that are reported, also with the next call, and that call is refused', async () => {
    const world = await start({ policy: bundle([breaker('errors', '*', three)]) });
    const run = await world.run();
    const begin = async (ends?: object[]): Promise<[string, string]> => {
      const call = toolCall({ args: { n: Math.random() }, ...(ends === undefined ? {} : { ends }) });
      return [call.call_id, wordsOf(await run.client.request('tool.call.begin', call))];
    };
    const failed = (id: string): object => toolEnd(id, { status: 'ERROR', error: upstreamError });
    const [one] = await begin();
    await run.client.request('tool.call.end', failed(one));
    const [two] = await begin();
    const [three_, word] = await begin([failed(two)]);
    expect(word).toBe('ALLOW');
    expect((await begin([failed(three_)]))[1]).toBe('BLOCK BREAKER_ERRORS');
  });

  it('takes an error once, however often it is reported', async () => {
    const world = await start({ policy: bundle([breaker('errors', '*', three)]) });
    const run = await world.run();
    const call = toolCall();
    await run.client.request('tool.call.begin', call);
    const end = toolEnd(call.call_id, { status: 'ERROR', error: upstreamError });
    for (let n = 0; n < 4; n += 1) await run.client.request('tool.call.end', end);
    expect(await ask(run.client)).toBe('ALLOW');
  });

  it('takes a call that was slow for an error', async () => {
    const slow = { error_threshold: 2, latency_threshold_ms: 100 };
    const world = await start({ policy: bundle([breaker('slow', '*', slow)]) });
    const run = await world.run();
    for (const latency_ms of [100, 101, 102]) {
      const call = toolCall();
      expect(wordsOf(await run.client.request('tool.call.begin', call))).toBe('ALLOW');
      await run.client.request('tool.call.end', toolEnd(call.call_id, { latency_ms }));
    }
    expect(await ask(run.client)).toBe('BLOCK BREAKER_ERRORS');
  });

  it('is not closed by errors, nor is anything given back for them', async () => {
    const world = await start({ policy: bundle([budget('five', '*', 5), dedupe('once', 'write', 60_000)]) });
    const run = await world.run();
    for (let n = 0; n < 5; n += 1) {
      const call = toolCall({ tool_name: n === 0 ? 'write' : 'read' });
      expect(wordsOf(await run.client.request('tool.call.begin', call))).toBe('ALLOW');
      const end = toolEnd(call.call_id, { status: 'ERROR', latency_ms: 0, error: upstreamError });
      await run.client.request('tool.call.end', end);
    }
    expect(await ask(run.client)).toBe('BLOCK BUDGET_EXCEEDED');
    expect(await ask(run.client, { tool_name: 'write' })).toBe('BLOCK BUDGET_EXCEEDED');
  });
});

const upstreamError = { class: 'upstream_error', message: 'it failed' };

describe('a rule that ends the run', () => {
  it('ends it for every connection, and no call is decided after it', async () => {
    const gate = new Gate();
    let isHeld = false;
    const world = await start({
      policy: bundle([budget('two', 'spend', 2, { on_exceed: 'TERMINATE_RUN' })]),
      wrapLedger: between(async (group, next) => {
        if (isHeld && group.entries.some(({ code }) => code === 'TERMINATE_RUN')) await gate.pass();
        return await next();
      }),
    });
    const pushed: unknown[] = [];
    const run = await world.run();
    const other = await world.connect(run.credential, (event) => pushed.push(event));
    await times(2, () => ask(run.client, { tool_name: 'spend' }));
    isHeld = true;
    const last = ask(run.client, { tool_name: 'spend' });
    await gate.reached;
    expect(await ask(other, { tool_name: 'read' })).toBe('run_terminated');
    gate.open();
    expect(await last).toBe('TERMINATE_RUN BUDGET_EXCEEDED');
    await expect.poll(() => pushed).toMatchObject([{ type: 'run_ended', status: 'TERMINATED' }]);
    expect(world.rows('run_end').map(({ code }) => code)).toEqual(['TERMINATED']);
    const late = await world.connect(run.credential);
    await expect(late.request('tool.call.begin', toolCall())).rejects.toBeDefined();
  });
});

describe('a hint', () => {
  const rules = [
    deny(
      'main',
      { args: { key_equals: { branch: 'main' } } },
      {
        hint_text: 'use a branch of your own',
        suggested_args: { branch: 'side' },
      },
    ),
  ];

  it('is recorded with its rule in the commit of the call, as an event, and in the view', async () => {
    const world = await start({ policy: bundle(rules, { mode: 'control' }) });
    const run = await world.run();
    const call = toolCall({ args: { branch: 'main', text: 'a' } });
    const answer = await run.client.request('tool.call.begin', call);
    expect([answer.error?.code, wordsOf(answer)]).toEqual([
      'policy_hinted',
      'REJECT_WITH_HINT DENYLIST_MATCH',
    ]);
    const [issued] = world.rows('hint_issued');
    expect(issued?.data).toMatchObject({
      call: { call_id: call.call_id },
      hint: { hint_text: 'use a branch of your own', suggested_args: { branch: 'side', text: 'a' } },
      rule_id: 'main',
    });
    expect(entriesOf(world, run).slice(-4)).toEqual([
      ['tool_call_start', null],
      ['tool_call_decision', 'REJECT_WITH_HINT'],
      ['hint_issued', null],
      ['tool_call_end', 'ERROR'],
    ]);
    const reader = openLedgerReader(world.paths.ledgerDb);
    const event = issued === undefined ? null : reader.toEvent(issued);
    reader.close();
    expect(HintIssuedEvent.parse(event)).toMatchObject({
      hint: dataOf(answer)['decision'] && issued?.data['hint'],
    });
    const db = new SqliteDatabase(world.paths.ledgerDb, { readonly: true });
    const seen = db.prepare('SELECT * FROM hints').all();
    db.close();
    expect(seen).toMatchObject([
      {
        call_id: call.call_id,
        hint_text: 'use a branch of your own',
        suggested_args_json: '{"branch":"side","text":"a"}',
      },
    ]);
  });

  it('suggests arguments to the agent of which the record holds no credential and nothing long', async () => {
    const world = await start({ policy: bundle(rules, { mode: 'control' }) });
    const run = await world.run();
    const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
    const long = 'x'.repeat(2000);
    const args = { branch: 'main', password: 'hunter2hunter2', deep: { list: [token] }, long, n: 1 };
    const answer = await run.client.request('tool.call.begin', toolCall({ args }));
    expect(dataOf(answer)['decision']).toMatchObject({
      hint: { suggested_args: { ...args, branch: 'side' } },
    });
    const recorded = world.rows().map(({ data }) => JSON.stringify(data));
    for (const secret of [token, 'hunter2hunter2', long]) {
      expect(recorded.filter((text) => text.includes(secret))).toEqual([]);
    }
    const omitted = { omitted: true };
    const shown = { branch: 'side', password: omitted, deep: omitted, long: omitted, n: 1 };
    expect(world.rows('hint_issued')[0]?.data['hint']).toMatchObject({ suggested_args: shown });
    expect(world.rows('tool_call_decision')[0]?.data['decision']).toMatchObject({
      hint: { suggested_args: shown },
    });
  });

  it('is not given, and not recorded, in guardrails', async () => {
    const world = await start({ policy: bundle(rules) });
    const run = await world.run();
    expect(await ask(run.client, { args: { branch: 'main' } })).toBe('BLOCK DENYLIST_MATCH');
    expect(world.rows('hint_issued')).toEqual([]);
  });
});

describe('another policy that is loaded while a call is written', () => {
  /** The first call waits behind its commit until `gate` opens. */
  async function held(gate: Gate, policy: string): Promise<TestGateway> {
    let isFirst = true;
    return await start({
      policy,
      wrapLedger: between(async (group, next) => {
        const result = await next();
        if (isFirst && group.entries.at(-1)?.type === 'tool_call_decision') {
          isFirst = false;
          await gate.pass();
        }
        return result;
      }),
    });
  }

  it('charges it instead, and says so where it charges in another way', async () => {
    const gate = new Gate();
    const world = await held(gate, bundle([budget('a', '*', 5)]));
    const run = await world.run();
    const first = ask(run.client);
    await gate.reached;
    await load(world, bundle([budget('a', '*', 5), budget('b', '*', 2)], { version: '2' }));
    gate.open();
    expect(await first).toBe('ALLOW');
    const [again] = world
      .rows('policy_loaded')
      .filter(({ runId, data }) => runId === run.id && data['facts'] !== undefined);
    const [decision] = world.rows('tool_call_decision');
    expect(again?.data).toMatchObject({
      facts: { again: true, of: decision?.seq },
      policy: { policy_version: '2' },
    });
    expect(await times(3, () => ask(run.client))).toEqual([
      'ALLOW',
      'BLOCK BUDGET_EXCEEDED',
      'BLOCK BUDGET_EXCEEDED',
    ]);
    // `a` has counted the first call once, and what `b` refused as well.
    await load(world, bundle([budget('a', '*', 5)], { version: '3' }));
    expect(await times(2, () => ask(run.client))).toEqual(['ALLOW', 'BLOCK BUDGET_EXCEEDED']);
    await world.gateway.stop('test');
    expect(await world.verify()).toBe('ok');
  });

  it('and refuses takes nothing for it that it does not charge itself', async () => {
    const gate = new Gate();
    const world = await held(gate, bundle([budget('a', '*', 5), dedupe('once', '*', 60_000)]));
    const run = await world.run();
    const args = { n: 1 };
    const first = ask(run.client, { tool_name: 'rm', args });
    await gate.reached;
    await load(world, bundle([deny('no-rm', 'rm')], { version: '2' }));
    gate.open();
    expect(await first).toBe('BLOCK DENYLIST_MATCH');
    await load(world, bundle([budget('a', '*', 5), dedupe('once', '*', 60_000)], { version: '3' }));
    // It was never made: it is no duplicate, and no unit went with it.
    const words = await times(6, () => ask(run.client, { tool_name: 'rm', args: { n: Math.random() } }));
    expect(words.slice(-2)).toEqual(['ALLOW', 'BLOCK BUDGET_EXCEEDED']);
  });
});
