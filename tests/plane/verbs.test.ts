import { readFileSync } from 'node:fs';
import type { JsonObject } from '@subluminal/core-types';
import { describe, expect, it } from 'vitest';
import { dataOf } from '../gateway/harness.js';
import { runSub, SUB } from '../harness/sub.js';
import { hookWorld, type HookWorld } from '../hooks/world.js';
import { HandClock, Player, sessionOf } from './play.js';

/** `sub plane …` on that home. */
function asked(world: HookWorld, ...args: readonly string[]) {
  return runSub(['plane', ...args], {
    env: { PATH: process.env['PATH'], SUB_HOME: world.gateway.paths.home },
  });
}

async function worked(): Promise<{ readonly world: HookWorld; readonly session: string }> {
  const clock = new HandClock();
  const world = await hookWorld({ clock: clock.now });
  const session = sessionOf(world.gateway, false);
  const player = new Player(world, clock, session);
  await player.tell('UserPromptSubmit', { prompt: 'do it' });
  await player.work('rrrrrrreeeeettttt');
  await expect.poll(() => world.gateway.rows('plane.boundary')).toHaveLength(2);
  return { world, session };
}

describe('`sub plane status`', () => {
  it('tells the modes, the agents with their windows, and how far each client is seen', async () => {
    const { session, world } = await worked();
    const { code, stdout } = await asked(world, 'status');
    expect(code).toBe(0);
    expect(stdout.split('\n').map((line) => line.replace(/seen .*$/, 'seen'))).toEqual([
      'modes: low observe, ordinary observe, protected observe',
      `session ${session}: window 3 (ordinary), 4 calls, checkpoint tests, seen`,
      'Claude Code, by its hooks: every signal',
      'Codex, by its hooks: no failures',
      'others, by messages: no lifecycle; no place for a steer',
      '',
    ]);
    const told: JsonObject = JSON.parse((await asked(world, 'status', '--json')).stdout);
    expect(told).toMatchObject({
      running: true,
      follows: true,
      modes: { low: 'observe', ordinary: 'observe', protected: 'observe' },
      entries: { 'plane.boundary': 2 },
      agents: [{ client: 'claude_hook', session, agent: '', held_out: false, window: { number: 3 } }],
      clients: [
        { client: 'claude_hook', signals_off: [], takes_context: true },
        { client: 'codex_hook', signals_off: ['failures'] },
        { client: 'run', signals_off: ['lifecycle'], takes_context: false },
      ],
    });
  });
});

describe('`sub plane stats`', () => {
  it('counts what was decided, and what was not done with the reason', async () => {
    const { world } = await worked();
    const { stdout } = await asked(world, 'stats');
    expect(stdout).toContain('claude_hook, 1 session\n  boundaries: kind 2\n  steers: 0\n');
    expect(stdout).toContain('  not done: checkpoint: evidence 1, steer: mode 2\n');
  });

  it('tells what was learnt of sessions that nothing steers, and takes it back when asked to', async () => {
    const clock = new HandClock();
    const world = await hookWorld({ clock: clock.now });
    const player = new Player(world, clock, sessionOf(world.gateway, true));
    await player.work('rrrrrrreeeeettttt');
    await expect.poll(() => world.gateway.rows('plane.boundary')).toHaveLength(2);
    expect((await asked(world, 'stats')).stdout).toMatch(
      /learnt [0-9a-f]{16} explore looking: 8 calls, 1m ?\d*s?, of 1 windows/,
    );
    // A restart knows it still.
    await world.gateway.restart();
    const learnt = async (): Promise<unknown> =>
      dataOf(await (await world.gateway.operator()).request('plane.learnt', {}))['rows'];
    expect(await learnt()).toHaveLength(2);
    expect(JSON.parse((await asked(world, 'stats', '--reset', '--json')).stdout)).toEqual({ forgotten: 2 });
    expect(await learnt()).toEqual([]);
    await world.gateway.restart();
    expect(await learnt()).toEqual([]);
  });
});

describe('`sub plane promote`', () => {
  it('shows the ladder with its evidence, and changes nothing until somebody says yes', async () => {
    const { world } = await worked();
    const shown = await asked(world, 'promote', 'ordinary');
    expect(shown.code).toBe(2);
    expect(shown.stdout).toBe(
      [
        '[observe] -> steer',
        'sessions: 1',
        'boundaries: 2',
        'steers: 0',
        'steers that the mode kept back: 2',
        'windows with a checkpoint: 2',
        'windows without one: 1',
        '',
      ].join('\n'),
    );
    expect(shown.stderr).toContain('`plane.ordinary` would be `steer`: nobody has said yes');
    const told = await asked(world, 'promote', 'ordinary', '--yes');
    expect(told.stdout).toContain(
      '`plane.ordinary` is `steer`; back with `sub config set plane.ordinary observe`',
    );
    expect(readFileSync(world.gateway.paths.config, 'utf8')).toContain('[plane]\nordinary = "steer"');
    expect((await asked(world, 'promote', 'ordinary')).stdout).toContain(
      '`ordinary` is at `steer`, its last mode',
    );
    const last: JsonObject = JSON.parse(
      (await asked(world, 'promote', 'protected', '--yes', '--json')).stdout,
    );
    expect(last).toMatchObject({ tier: 'protected', mode: 'observe', next: 'steer', changed: true });
    expect((await asked(world, 'promote', 'protected', '--yes')).stderr).toContain(
      '`[plane] protected` is `gate`, and it withholds nothing',
    );
    expect((await asked(world, 'promote', 'all')).stderr).toContain('low, ordinary, protected');
  });

  it('is refused inside a run', async () => {
    const { world } = await worked();
    const { code, stderr } = await runSub(
      ['run', '--', process.execPath, SUB, 'plane', 'promote', 'low', '--yes'],
      {
        env: { PATH: process.env['PATH'], SUB_HOME: world.gateway.paths.home },
      },
    );
    expect(code).not.toBe(0);
    expect(stderr).toContain('inside a run');
  });
});
