import { expect, it } from 'vitest';
import { between, Gate } from './between.js';
import { start } from './harness.js';

const dropped = {
  shim_id: 'shim-1',
  server_name: 'fs',
  direction: 'to_server',
  reason: 'batch',
  bytes: 1,
};

it('a run that asks for more than is worked on waits for its own requests, and the others do not', async () => {
  const gate = new Gate();
  let taken = 0;
  const world = await start({
    wrapLedger: between(async (group, next) => {
      if (group.entries[0]?.type !== 'message_dropped') return await next();
      taken += 1;
      await gate.pass();
      return await next();
    }),
  });
  const [run, other] = [await world.run(), await world.run()];
  const clients = await Promise.all(Array.from({ length: 10 }, () => world.connect(run.credential)));
  const asked = clients.flatMap((client) =>
    Array.from({ length: 250 }, () => client.request('message.dropped', dropped)),
  );
  await gate.reached;
  expect((await other.client.request('run.read', {})).status).toBe('success');
  expect((await (await world.operator()).request('allow.add', { host: 'example.com' })).status).toBe(
    'success',
  );
  expect(taken).toBeLessThanOrEqual(512);
  gate.open();
  const codes = new Set((await Promise.all(asked)).map((answer) => answer.error?.code));
  expect([...codes]).toEqual([undefined]);
});
