import { expect, it } from 'vitest';
import { start, toolCall, toolEnd } from './harness.js';

it('keeps one unforked chain with start, decision and end of every call of eight runs at once', async () => {
  const world = await start();
  const runs = await Promise.all(Array.from({ length: 8 }, () => world.run()));
  await Promise.all(
    runs.map(async ({ client }) => {
      await Promise.all(
        Array.from({ length: 4 }, async () => {
          for (let index = 0; index < 25; index += 1) {
            const call = toolCall();
            expect((await client.request('tool.call.begin', call)).status).toBe('success');
            expect((await client.request('tool.call.end', toolEnd(call.call_id))).status).toBe('success');
          }
        }),
      );
      expect((await client.request('run.end', { status: 'SUCCEEDED' })).status).toBe('success');
    }),
  );
  await world.gateway.stop('test');
  expect(await world.verify()).toBe('ok');
  const calls = world.calls();
  expect(calls).toHaveLength(800);
  expect(calls.every(({ decision, end }) => decision === 'ALLOW' && end === 'OK')).toBe(true);
  for (const { id } of runs) {
    expect(calls.filter((call) => call.runId === id).map((call) => call.seq)).toEqual(
      Array.from({ length: 100 }, (_, index) => index + 1),
    );
  }
});
