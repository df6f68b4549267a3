import { describe, expect, it } from 'vitest';
import { start, toolCall, toolEnd, type TestGateway } from './harness.js';
import { denyRm } from '../support/deny-rm.js';

const begin = 'tool.call.begin';

async function withOpenCalls(count: number, policy?: string) {
  const world = await start(policy === undefined ? {} : { policy });
  const run = await world.run();
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const call = toolCall();
    expect((await run.client.request(begin, call)).status).toBe('success');
    ids.push(call.call_id);
  }
  return { world, run, ids };
}

function newest(world: TestGateway, count: number): unknown[] {
  return world
    .rows()
    .slice(-count)
    .map((row) => [row.type, row.code]);
}

describe('ends that travel with the next call', () => {
  it('stand before its entries, refer to their own decisions, and are over', async () => {
    const { world, run, ids } = await withOpenCalls(2);
    const ends = [toolEnd(ids[0] ?? ''), toolEnd(ids[1] ?? '', { status: 'CANCELLED' })];
    const answer = await run.client.request(begin, toolCall({ ends }), { id: 'request-with-ends' });
    expect(answer.status).toBe('success');
    expect(newest(world, 4)).toEqual([
      ['tool_call_end', 'OK'],
      ['tool_call_end', 'CANCELLED'],
      ['tool_call_start', null],
      ['tool_call_decision', 'ALLOW'],
    ]);
    const decisions = world.rows('tool_call_decision').map(({ seq }) => seq);
    const recorded = world.rows('tool_call_end');
    expect(recorded.map(({ ref }) => ref)).toEqual(decisions.slice(0, 2));
    expect(recorded[0]?.data).toMatchObject({ req: { id: 'request-with-ends' } });
    expect((await run.client.request('tool.call.end', toolEnd(ids[0] ?? ''))).error?.code).toBe('not_found');
    const { data } = await run.client.request('run.read', {});
    expect(data).toMatchObject({ open_calls: 1 });
    await world.gateway.stop('test');
    expect(await world.verify()).toBe('ok');
  });

  it('are recorded when the policy refuses the call that carries them', async () => {
    const { world, run, ids } = await withOpenCalls(1, denyRm());
    const refused = toolCall({ tool_name: 'rm', ends: [toolEnd(ids[0] ?? '')] });
    expect((await run.client.request(begin, refused)).error?.code).toBe('policy_blocked');
    expect(newest(world, 4)).toEqual([
      ['tool_call_end', 'OK'],
      ['tool_call_start', null],
      ['tool_call_decision', 'BLOCK'],
      ['tool_call_end', 'ERROR'],
    ]);
  });

  it.each([
    ['is of no open call', (id: string) => [toolEnd(id), toolEnd('call-of-nobody')]],
    ['stands twice', (id: string) => [toolEnd(id), toolEnd(id)]],
  ])('refuse the call and are not recorded when one %s', async (_name, endsOf) => {
    const { world, run, ids } = await withOpenCalls(1);
    const answer = await run.client.request(begin, toolCall({ ends: endsOf(ids[0] ?? '') }));
    expect([answer.status, answer.error?.code]).toEqual(['error', 'not_found']);
    expect(newest(world, 1)).toEqual([['action_rejected', 'rejected']]);
    expect(world.rows('tool_call_end')).toEqual([]);
    expect((await run.client.request('tool.call.end', toolEnd(ids[0] ?? ''))).status).toBe('success');
  });

  it('are at most 32, each of the shape of an end', async () => {
    const { run, ids } = await withOpenCalls(1);
    const [id = ''] = ids;
    for (const ends of [
      [],
      Array.from({ length: 33 }, () => toolEnd(id)),
      [{ call_id: id }],
      [{ ...toolEnd(id), x: 1 }],
    ])
      expect((await run.client.request(begin, toolCall({ ends }))).error?.code).toBe('invalid_request');
    expect((await run.client.request(begin, toolCall({ ends: [toolEnd(id)] }))).status).toBe('success');
  });

  it('belong to the run that reports them', async () => {
    const { world, ids } = await withOpenCalls(1);
    const other = await world.run();
    const answer = await other.client.request(begin, toolCall({ ends: [toolEnd(ids[0] ?? '')] }));
    expect(answer.error?.code).toBe('not_found');
    expect(world.rows('tool_call_end')).toEqual([]);
  });
});

describe('an end that is sent again under its id', () => {
  it('to the next gateway gets what was recorded, and is not recorded again', async () => {
    const { world, run, ids } = await withOpenCalls(2);
    const [known, unknown] = [toolEnd(ids[0] ?? ''), toolEnd(ids[1] ?? '')];
    expect((await run.client.request('tool.call.end', known, { id: 'the-first-end' })).status).toBe(
      'success',
    );
    await world.restart();
    const again = await world.connect(run.credential);
    const answer = await again.request('tool.call.end', known, { id: 'the-first-end' });
    expect(answer).toMatchObject({
      status: 'error',
      error: { code: 'replayed', details: { recorded: 'OK', audit_ref: expect.any(String) } },
    });
    expect((await again.request('tool.call.end', known)).error?.code).toBe('not_found');
    // Nothing listens for the shim of this test: the start has closed what it had open.
    expect((await again.request('tool.call.end', unknown)).error?.code).toBe('not_found');
    expect(world.rows('tool_call_end').map(({ code }) => code)).toEqual(['OK', 'ERROR']);
  });
});
