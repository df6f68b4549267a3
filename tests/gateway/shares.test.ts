import { readCredential } from '@subluminal/ipc';
import { expect, it } from 'vitest';
import { between, Gate } from './between.js';
import { dataOf, start, toolCall } from './harness.js';

it('all runs together have only so much worked on at once, and the operator is served meanwhile', async () => {
  const gate = new Gate();
  let taken = 0;
  const world = await start({
    // 32 of these places are the operator's.
    limits: { maxAllInFlight: 40 },
    wrapLedger: between(async (group, next) => {
      if (group.entries[0]?.type !== 'tool_call_start') return await next();
      taken += 1;
      await gate.pass();
      return await next();
    }),
  });
  const runs = await Promise.all(Array.from({ length: 6 }, () => world.run()));
  const asked = runs.flatMap(({ client }) =>
    Array.from({ length: 10 }, () => client.request('tool.call.begin', toolCall())),
  );
  await gate.reached;
  const operator = await world.operator();
  for (let n = 0; n < 20; n += 1) {
    expect((await operator.request('allow.add', { host: `h${n}.example.com` })).status).toBe('success');
  }
  expect(taken).toBeLessThanOrEqual(8);
  gate.open();
  const statuses = new Set((await Promise.all(asked)).map(({ status }) => status));
  expect([...statuses]).toEqual(['success']);
});

it('connections of one run, and those with the enrol key, are so many and no more', async () => {
  const world = await start({ limits: { maxRunConnections: 5 } });
  const run = await world.run();
  const enrol = readCredential(world.paths.enrolKey);
  for (const [credential, open] of [
    [run.credential, 1],
    [enrol, 0],
  ] as const) {
    for (let n = open; n < 5; n += 1) await world.connect(credential);
    await expect(
      world.connect(credential).then((client) => client.request('run.read', {})),
    ).rejects.toMatchObject({
      code: 'handshake_refused',
    });
  }
  expect((await run.client.request('run.read', {})).status).toBe('success');
  const other = await world.run();
  expect((await other.client.request('run.read', {})).status).toBe('success');
});

it('a place with the enrol key is free again when its connection closes', async () => {
  const world = await start({ limits: { maxRunConnections: 1 } });
  const enrol = readCredential(world.paths.enrolKey);
  for (let n = 0; n < 3; n += 1) {
    const client = await world.connect(enrol);
    expect((await client.request('run.read', {})).error?.code).toBe('not_permitted');
    client.close();
    const operator = await world.operator();
    let connections = Infinity;
    while (connections > 1) {
      connections = Number(dataOf(await operator.request('gateway.status', {}))['connections']);
    }
    operator.close();
  }
});

it('the limits are those of config.toml', async () => {
  const world = await start({ config: '[ipc]\nmax_run_connections = 2\n' });
  const run = await world.run();
  await world.connect(run.credential);
  await expect(
    world.connect(run.credential).then((client) => client.request('run.read', {})),
  ).rejects.toMatchObject({
    code: 'handshake_refused',
  });
});
