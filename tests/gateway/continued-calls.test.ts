import { writeFileSync } from 'node:fs';
import { Decision, type ActionResponse } from '@subluminal/core-types';
import { describe, expect, it } from 'vitest';
import { dataOf, start, toolCall, toolEnd, type TestGateway, type TestRun } from './harness.js';
import { breaker, bucket, budget, bundle, dedupe, deny } from './policy-bundle.js';

function wordsOf(answer: ActionResponse): string {
  if (answer.data === undefined) return answer.error?.code ?? answer.status;
  const { action, reason_code: reason } = Decision.parse(dataOf(answer)['decision']);
  return action === 'ALLOW' ? 'ALLOW' : `${action} ${reason}`;
}

/** Asks for a call; its id and what was said. */
async function ask({ client }: TestRun, more: Record<string, unknown> = {}): Promise<[string, string]> {
  const call = toolCall(more);
  return [call.call_id, wordsOf(await client.request('tool.call.begin', call))];
}

/** The server answers a call with a question. */
async function question({ client }: TestRun, callId: string, more: object = {}): Promise<void> {
  const answer = await client.request('tool.call.end', toolEnd(callId, { asks_input: true, ...more }));
  expect(answer.status).toBe('success');
}

/** A call that ended with a question. */
async function asking(run: TestRun, more: Record<string, unknown> = {}): Promise<string> {
  const [id, word] = await ask(run, more);
  expect(word).toBe('ALLOW');
  await question(run, id);
  return id;
}

const twice = dedupe('twice', '*', 60_000, { scope: 'server_tool' });

async function load(world: TestGateway, text: string): Promise<void> {
  writeFileSync(world.paths.policy, text, { mode: 0o600 });
  expect((await (await world.operator()).request('policy.reload', {})).status).toBe('success');
}

describe('a call that goes on with one whose server asked for input', () => {
  it('is no duplicate and no second call of a budget, and the record says what it goes on with', async () => {
    const rules = [
      twice,
      budget('three', '*', 3),
      breaker('loops', '*', { repeat_threshold: 1, scope: 'server_tool' }),
    ];
    const world = await start({ policy: bundle(rules) });
    const run = await world.run();
    const first = await asking(run);
    const [second, word] = await ask(run, { continues: first });
    expect(word).toBe('ALLOW');
    await question(run, second);
    const [third, last] = await ask(run, { continues: second });
    expect(last).toBe('ALLOW');
    await run.client.request('tool.call.end', toolEnd(third));
    const named = (row: { data: unknown }): unknown => (row.data as { call: object }).call;
    const starts = world.rows('tool_call_start').map(named);
    expect(starts).toMatchObject([{ call_id: first }, { continues: first }, { continues: second }]);
    expect(starts[0]).not.toHaveProperty('continues');
    const decisions = world.rows('tool_call_decision').map(named);
    expect(decisions).toMatchObject([{ call_id: first }, { continues: first }, { continues: second }]);
    const ends = world.rows('tool_call_end').map(({ data }) => data['asks_input']);
    expect(ends).toEqual([true, true, undefined]);
    // Two more calls of the budget are left: the three were one.
    const rest = [];
    for (const path of ['b', 'c', 'd']) rest.push((await ask(run, { args: { path } }))[1]);
    expect(rest).toEqual(['ALLOW', 'ALLOW', 'BLOCK BUDGET_EXCEEDED']);
    await world.gateway.stop('test');
    expect(await world.verify()).toBe('ok');
  });

  it('goes on with one whose end travels with it', async () => {
    const world = await start({ policy: bundle([twice]) });
    const run = await world.run();
    const [first] = await ask(run);
    const ends = [toolEnd(first, { asks_input: true })];
    expect((await ask(run, { continues: first, ends }))[1]).toBe('ALLOW');
  });

  it.each<[string, (run: TestRun) => Promise<Record<string, unknown>>]>([
    [
      'a call that nobody made',
      async (run) => {
        await asking(run);
        return { continues: 'call-999999' };
      },
    ],
    [
      'a call that has not ended',
      async (run) => {
        const [continues] = await ask(run);
        return { continues };
      },
    ],
    [
      'a call that ended without a question',
      async (run) => {
        const [continues] = await ask(run);
        await run.client.request('tool.call.end', toolEnd(continues));
        return { continues };
      },
    ],
    [
      'a call that failed with a question',
      async (run) => {
        const [continues] = await ask(run);
        await question(run, continues, { status: 'ERROR' });
        return { continues };
      },
    ],
    [
      'a call that was gone on with',
      async (run) => {
        const continues = await asking(run);
        expect((await ask(run, { continues }))[1]).toBe('ALLOW');
        return { continues };
      },
    ],
    [
      'a call of other arguments',
      async (run) => {
        await ask(run);
        return { continues: await asking(run, { args: { path: '/tmp/b' } }) };
      },
    ],
    [
      'a call of another tool',
      async (run) => {
        await ask(run);
        return { continues: await asking(run, { tool_name: 'stat' }) };
      },
    ],
    ['a call of another shim', async (run) => ({ continues: await asking(run), shim_id: 'shim-2' })],
  ])('is a call like any other where it names %s', async (_, prepare) => {
    const world = await start({ policy: bundle([twice]) });
    const run = await world.run();
    const more = await prepare(run);
    expect((await ask(run, more))[1]).toBe('BLOCK DUPLICATE_CALL');
    const last = world.rows('tool_call_decision').at(-1);
    expect(last?.data['call']).not.toHaveProperty('continues');
  });

  it('is a call like any other where it names a call of another run', async () => {
    const world = await start({ policy: bundle([twice]) });
    const [one, other] = [await world.run(), await world.run()];
    const continues = await asking(one);
    await ask(other);
    expect((await ask(other, { continues }))[1]).toBe('BLOCK DUPLICATE_CALL');
  });

  it('of many that race for one call, one goes on with it', async () => {
    const world = await start({ policy: bundle([twice]) });
    const run = await world.run();
    const continues = await asking(run);
    const words = await Promise.all(Array.from({ length: 16 }, () => ask(run, { continues })));
    expect(words.filter(([, word]) => word === 'ALLOW')).toHaveLength(1);
  });

  it('goes on 16 times in a row, and then it is a duplicate', async () => {
    const world = await start({ policy: bundle([twice]) });
    const run = await world.run();
    let continues = await asking(run);
    const words: string[] = [];
    for (let n = 0; n < 17; n += 1) {
      const [id, word] = await ask(run, { continues });
      words.push(word);
      if (word === 'ALLOW') await question(run, id);
      continues = id;
    }
    expect(words).toEqual([...Array.from({ length: 16 }, () => 'ALLOW'), 'BLOCK DUPLICATE_CALL']);
  });

  it('is decided anew: a policy that changed meanwhile refuses it, and its own limits count it', async () => {
    const world = await start({ policy: bundle([twice]) });
    const run = await world.run();
    const first = await asking(run);
    await load(world, bundle([twice, deny('none', '*')], { version: '2' }));
    expect((await ask(run, { continues: first }))[1]).toBe('BLOCK DENYLIST_MATCH');
    await load(world, bundle([budget('one', '*', 1)], { version: '3' }));
    const second = await asking(run, { args: { path: 'b' } });
    await load(world, bundle([budget('other', '*', 0)], { version: '4' }));
    expect((await ask(run, { args: { path: 'b' }, continues: second }))[1]).toBe('BLOCK BUDGET_EXCEEDED');
  });

  it('that is told to wait goes on later', async () => {
    const tokens = { capacity: 1, refill_tokens: 1, refill_period_ms: 50 };
    const world = await start({ policy: bundle([twice, bucket('slow', '*', tokens)]) });
    const run = await world.run();
    const continues = await asking(run);
    await expect.poll(async () => (await ask(run, { continues }))[1], { interval: 60 }).toBe('ALLOW');
    expect((await ask(run, { continues }))[1]).not.toBe('ALLOW');
  });
});
