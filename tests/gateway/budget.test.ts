import { mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually } from '../harness/processes.js';
import { runSub } from '../harness/resident.js';
import { dataOf, runBegin, start, toolCall, toolEnd, type TestGateway } from './harness.js';

const MB = 1_048_576;

/** Lets the closed segments of a home take so much room. */
function segments(world: TestGateway, megabytes: number): void {
  const folder = join(world.paths.home, 'segments');
  rmSync(folder, { recursive: true, force: true });
  if (megabytes === 0) return;
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(join(folder, 'a'), '', { mode: 0o600 });
  truncateSync(join(folder, 'a'), megabytes * MB);
}

async function level(world: TestGateway): Promise<unknown> {
  const status = await (await world.operator()).request('gateway.status', {});
  return (dataOf(status)['ledger'] as { budget: unknown }).budget;
}

const reaches = (world: TestGateway, wanted: string): Promise<void> =>
  eventually(
    `the level is ${wanted}`,
    async () => ((await level(world)) as { level: string }).level === wanted,
    30_000,
  );

describe('a ledger with a budget', () => {
  it('is within ten gigabytes unless told otherwise, and is told so', async () => {
    const world = await start();
    expect(await level(world)).toEqual({
      level: 'ok',
      used_bytes: expect.any(Number),
      max_bytes: 10_240 * MB,
    });
    segments(world, 100_000);
    await world.restart({});
    expect(await level(world)).toMatchObject({ level: 'full' });
    segments(world, 0);
  });

  it('warns, gives up previews, refuses what begins, takes what ends, and recovers by itself', async () => {
    const world = await start({ config: '[ledger]\nmax_mb = 64\n' });
    const { client } = await world.run();
    const [first, second, third] = [toolCall(), toolCall(), toolCall()];
    expect((await client.request('tool.call.begin', first)).status).toBe('success');

    segments(world, 60);
    await reaches(world, 'warn');
    const doctor = await runSub(['doctor', '--home', world.paths.home]);
    expect(doctor.stdout).toContain('of `ledger.max_mb`');
    expect((await client.request('tool.call.begin', second)).status).toBe('success');

    segments(world, 64);
    await reaches(world, 'full');
    expect(world.rows('previews_expired')).toHaveLength(1);
    expect((await client.request('tool.call.begin', third)).error).toMatchObject({
      code: 'audit_unavailable',
      message: 'the ledger has used up its budget of 64 MB, so nothing new begins',
      help: expect.stringContaining('`ledger.max_mb`'),
    });
    expect((await client.request('tool.call.end', toolEnd(first.call_id))).status).toBe('success');
    expect(
      world.rows('tool_call_end').map((row) => Object.values(row.blobs).map(({ state }) => state)),
    ).toEqual([['dropped:budget']]);

    segments(world, 0);
    await reaches(world, 'ok');
    expect((await client.request('tool.call.begin', toolCall())).status).toBe('success');
    expect((await client.request('tool.call.end', toolEnd(second.call_id))).status).toBe('success');
    await world.gateway.stop('test');
    expect(await world.verify()).toBe('ok');
  });

  it('starts full where it is, so that a restart makes no room', async () => {
    const world = await start({ config: '[ledger]\nmax_mb = 64\n' });
    segments(world, 80);
    await world.restart();
    const operator = await world.operator();
    expect((await operator.request('run.begin', runBegin())).error?.code).toBe('audit_unavailable');
    segments(world, 0);
  });

  it('lets the operator narrow and stop however full it is, and widens nothing', async () => {
    const world = await start({ config: '[ledger]\nmax_mb = 64\n' });
    const before = await world.operator();
    const added = dataOf(await before.request('allow.add', { host: 'a.example.com' }));
    const { id } = added['entry'] as { id: string };
    const run = dataOf(await before.request('run.begin', runBegin()));
    segments(world, 80);
    await world.restart();
    const operator = await world.operator();
    const widened = await operator.request('allow.add', { host: 'b.example.com' });
    expect(widened.error?.code).toBe('audit_unavailable');
    expect(await operator.request('allow.deactivate', { id })).toMatchObject({ status: 'success' });
    expect((await operator.request('allow.remove', { id })).status).toBe('success');
    const ended = await operator.request('run.end', { run_id: run['run_id'], status: 'CANCELLED' });
    expect(ended.status).toBe('success');
    expect((await operator.request('gateway.stop', {})).status).toBe('success');
  });
});
