import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { eventually } from '../harness/processes.js';
import { runSub } from '../harness/resident.js';
import { start, toolCall, toolEnd, type TestGateway } from './harness.js';

const DAY = 86_400_000;

function world(config: string): Promise<TestGateway & { clock: { now: number } }> {
  const clock = { now: Date.now() };
  return start({ config, clock: () => clock.now }).then((gateway) => Object.assign(gateway, { clock }));
}

async function call(at: TestGateway): Promise<string> {
  const { client } = await at.run();
  const begin = toolCall({ args: { path: '/tmp/very-private-name' } });
  expect((await client.request('tool.call.begin', begin)).status).toBe('success');
  await client.request('tool.call.end', toolEnd(begin.call_id));
  return begin.call_id;
}

const onDisk = (at: TestGateway): boolean =>
  ['', '-wal'].some((end) => {
    const path = at.paths.ledgerDb + end;
    return existsSync(path) && readFileSync(path).includes('very-private-name');
  });

describe('previews', () => {
  it('are kept for thirty days unless told otherwise, then gone from the disk, and `sub show` says so', async () => {
    const at = await world('');
    const callId = await call(at);
    expect(onDisk(at)).toBe(true);
    at.clock.now += 29 * DAY;
    await at.restart();
    expect(at.rows('previews_expired')).toEqual([]);
    at.clock.now += 2 * DAY;
    await at.restart();
    await eventually('the previews are gone', () => !onDisk(at));
    expect(at.rows('previews_expired').map((row) => row.data)).toEqual([
      { count: 2, from: 1, to: expect.any(Number) },
    ]);
    const shown = await runSub(['show', callId, '--home', at.paths.home]);
    expect(shown.stdout).toContain('(expired)');
    expect(shown.stdout).not.toContain('very-private-name');
    // The expiry is an entry of its own, and the head over it is signed a moment later.
    await eventually('the ledger verifies', async () => (await at.verify()) === 'ok');
  });

  it('are kept for ever where that is asked for', async () => {
    const at = await world('[retention]\npreview_days = "forever"\n');
    await call(at);
    at.clock.now += 4000 * DAY;
    await at.restart();
    expect(at.rows('previews_expired')).toEqual([]);
    expect(onDisk(at)).toBe(true);
  });

  it('are never written where they may have no bytes', async () => {
    const at = await world('[inspect]\nmax_preview_bytes = 0\n');
    await call(at);
    expect(at.rows('tool_call_end')).toHaveLength(1);
    expect(onDisk(at)).toBe(false);
    await at.gateway.stop('test');
    expect(onDisk(at)).toBe(false);
  });

  it('go at the next look where none is to be kept', async () => {
    const at = await world('[retention]\npreview_days = 0\n');
    await call(at);
    at.clock.now += 1000;
    await at.restart();
    await eventually('the previews are gone', () => !onDisk(at));
    expect(at.rows('previews_expired')).toHaveLength(1);
  });

  it('are not kept for a time that is none', async () => {
    await expect(start({ config: '[retention]\npreview_days = "always"\n' })).rejects.toMatchObject({
      code: 'config_invalid',
    });
  });
});
