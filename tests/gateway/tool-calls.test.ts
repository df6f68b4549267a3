import { expect, it } from 'vitest';
import { dataOf, start, toolCall, toolEnd } from './harness.js';

it('records start, decision and end of an allowed call, each before it is answered', async () => {
  const world = await start();
  const run = await world.run();
  const call = toolCall();
  const begun = await run.client.request('tool.call.begin', call);
  expect(begun.status).toBe('success');
  expect(dataOf(begun)['decision']).toMatchObject({ action: 'ALLOW' });
  const decision = world.rows('tool_call_decision').at(-1);
  expect(begun.auditRef).toBe(`${decision?.seq}.${decision?.leaf}`);
  const ended = await run.client.request('tool.call.end', toolEnd(call.call_id));
  expect(ended.status).toBe('success');
  expect(
    world
      .rows()
      .filter((row) => row.runId === run.id)
      .map((row) => [row.type, row.code]),
  ).toEqual([
    ['run_start', null],
    ['tool_call_start', null],
    ['tool_call_decision', 'ALLOW'],
    ['tool_call_end', 'OK'],
  ]);
  await world.gateway.stop('test');
  expect(await world.verify()).toBe('ok');
});
