import { spawn } from 'node:child_process';
import { once } from 'node:events';
import Database from 'better-sqlite3';
import { ticketOfRun } from '@subluminal/ipc';
import { describe, expect, it } from 'vitest';
import { dataOf, start, toolCall, toolEnd } from '../gateway/harness.js';
import { finished, SUB } from '../harness/sub.js';
import { hookWorld } from '../hooks/world.js';
import { decided, HandClock, keptRows, Player, planeRows, putBack, sessionOf, skipped } from './play.js';

const WORK = 'rrrrrrreeeeettttt';
const FOUND = [
  '1 opened',
  'boundary of 1: kind',
  '1 closed',
  '2 opened',
  'boundary of 2: kind',
  '2 closed',
  '3 opened',
];

describe('the plane', () => {
  it('records where the work of a session changed, in the chain of its run, and the record verifies', async () => {
    const clock = new HandClock();
    const world = await hookWorld({ clock: clock.now });
    const session = sessionOf(world.gateway, false);
    const player = new Player(world, clock, session);
    await player.tell('UserPromptSubmit', { prompt: 'do it' });
    const answers = await player.work(WORK);
    expect(answers.every((answer) => Object.keys(answer).length === 0)).toBe(true);
    await expect.poll(() => decided(world.gateway.rows())).toEqual(FOUND);
    const [run] = world.gateway.rows('run_start');
    const [boundary] = world.gateway.rows('plane.boundary');
    const calls = world.gateway.rows('tool_call_start');
    expect(boundary).toMatchObject({
      runId: run?.runId,
      data: {
        of: { client: 'claude_hook', session, agent: '', event: calls[8]?.seq },
        window: 1,
        why: ['kind'],
        from: 'explore',
        to: 'change',
        tier: 'ordinary',
      },
    });
    // Nobody has asked for a steer: the record says why there is none.
    expect(skipped(world.gateway.rows())).toEqual(['checkpoint: evidence', 'steer: mode', 'steer: mode']);
    expect(await world.gateway.verify()).not.toBe('tampered');
  });

  it('shows boundaries in `sub tail` as they come', async () => {
    const clock = new HandClock();
    const world = await hookWorld({ clock: clock.now });
    const session = sessionOf(world.gateway, false);
    const player = new Player(world, clock, session);
    await player.work('rrrrrrr');
    const run = world.gateway.rows('run_start')[0]?.runId ?? '';
    const env = { PATH: process.env['PATH'], SUB_HOME: world.gateway.paths.home };
    const child = spawn(process.execPath, [SUB, 'tail', '--run', run], { env });
    const tail = finished(child, 110_000);
    // It follows once it has shown what was there before.
    await once(child.stdout, 'data');
    await player.work('eeeee');
    await expect.poll(() => world.gateway.rows('plane.boundary')).toHaveLength(1);
    const operator = await world.gateway.operator();
    await operator.request('run.end', { run_id: run, status: 'CANCELLED' });
    expect((await tail).stdout).toContain(
      `boundary in session ${session}: the kind of work has changed, from looking around to changing`,
    );
  });

  it('keeps two sessions of one process, and a subagent, apart', async () => {
    const clock = new HandClock();
    const world = await hookWorld({ clock: clock.now });
    const [one, other] = [sessionOf(world.gateway, false), sessionOf(world.gateway, false, 'other-')];
    const player = new Player(world, clock, one);
    for (const letter of 'rrrreee') {
      await player.work(letter);
      await player.work('r', { session_id: other });
      await player.work('r', { agent_id: 'helper', agent_type: 'explorer' });
    }
    await player.work('eee');
    await expect.poll(() => world.gateway.rows('plane.boundary')).toHaveLength(1);
    expect(world.gateway.rows('run_start')).toHaveLength(1);
    expect(planeRows(world.gateway.rows()).map(({ of }) => of)).toEqual(
      planeRows(world.gateway.rows()).map(() => expect.objectContaining({ session: one, agent: '' })),
    );
  });

  it('goes on after a restart in the window that it was in', async () => {
    const clock = new HandClock();
    const world = await hookWorld({ clock: clock.now, config: '[http]\nport = 15917\n' });
    const player = new Player(world, clock, sessionOf(world.gateway, false));
    await player.work('rrrrrrree');
    await world.gateway.restart();
    await player.work('eeettttt');
    await expect.poll(() => decided(world.gateway.rows())).toEqual(FOUND);
    const [closed] = world.gateway.rows('plane.window').filter(({ data }) => data['what'] === 'closed');
    expect(closed?.data['actions']).toBe(8);
  });

  it('folds again what it had not kept when it was killed, and writes nothing twice', async () => {
    const clock = new HandClock();
    const world = await hookWorld({ clock: clock.now, config: '[http]\nport = 15919\n' });
    const player = new Player(world, clock, sessionOf(world.gateway, false));
    await player.work('rrrr');
    await world.gateway.gateway.stop('test');
    const kept = keptRows(world.gateway.paths.gatewayDb);
    await world.gateway.restart();
    await player.work('rrreee');
    await expect.poll(() => decided(world.gateway.rows())).toEqual(FOUND.slice(0, 4));
    await world.gateway.gateway.stop('test');
    putBack(world.gateway.paths.gatewayDb, kept);
    await world.gateway.restart();
    await player.work('eettttt');
    await expect.poll(() => decided(world.gateway.rows())).toEqual(FOUND);
    const closed = world.gateway.rows('plane.window').filter(({ data }) => data['what'] === 'closed');
    expect(closed.map(({ data }) => data['actions'])).toEqual([8, 5]);
  });

  it('counts a call once that a message and a hook tell of', async () => {
    const clock = new HandClock();
    const world = await hookWorld({ clock: clock.now });
    const session = sessionOf(world.gateway, false);
    const player = new Player(world, clock, session);
    await player.work('r');
    const [run] = world.gateway.rows('run_start');
    const { credential } = ticketOfRun(world.gateway.paths, run?.runId ?? '') ?? {};
    if (credential === undefined) throw new Error('the run has no ticket');
    const shim = await world.gateway.connect(credential);
    const call = async (at: number, tool: string): Promise<void> => {
      const mcp = { tool_use_id: `m${at}`, tool_name: `mcp__files__${tool}`, tool_input: {} };
      await player.tell('PreToolUse', mcp);
      const context = { 'claudecode/toolUseId': `m${at}` };
      const begun = toolCall({
        server_name: 'files',
        tool_name: tool,
        args: { path: `/w/src/a/${at}` },
        context,
      });
      await shim.request('tool.call.begin', begun);
      await shim.request('tool.call.end', toolEnd(begun.call_id));
      await player.tell('PostToolUse', mcp);
    };
    // The first message says that the server is routed: the hook of that call came too early to know.
    await shim.request('tool.call.begin', toolCall({ server_name: 'files', tool_name: 'list_files' }));
    for (let at = 0; at < 6; at += 1) await call(at, 'read_file');
    for (let at = 6; at < 12; at += 1) await call(at, 'write_file');
    await expect.poll(() => world.gateway.rows('plane.boundary')).toHaveLength(1);
    const rows = world.gateway.rows();
    const closed = planeRows(rows).find(({ what }) => what === 'closed');
    // One call of the client's own, six that read, and the first that writes.
    expect(closed).toMatchObject({ of: { client: 'claude_hook', session }, actions: 8 });
    expect(rows.filter(({ type }) => type === 'hook_event').length).toBeGreaterThan(20);
  });

  it('follows a run without hooks by its messages, and says which signal does not look', async () => {
    const clock = new HandClock();
    const world = await start({ clock: clock.now });
    const run = await world.run();
    const call = async (tool_name: string, at: number): Promise<void> => {
      clock.ms += 10_000;
      const begun = toolCall({ tool_name, args: { path: `/w/src/a/${at}` } });
      await run.client.request('tool.call.begin', begun);
      await run.client.request('tool.call.end', toolEnd(begun.call_id));
    };
    for (let at = 0; at < 7; at += 1) await call('read_file', at);
    // An agent that does little leaves nothing in the record.
    expect(planeRows(world.rows())).toEqual([]);
    for (let at = 7; at < 12; at += 1) await call('write_file', at);
    await expect.poll(() => decided(world.rows())).toEqual(FOUND.slice(0, 4));
    expect(world.rows('plane.signal_off').map(({ data }) => data)).toEqual([
      {
        of: { client: 'run', session: run.id, agent: '', event: expect.any(Number) },
        signal: 'lifecycle',
        reason: 'telemetry',
        missing: ['life'],
      },
    ]);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('a fault');
      },
    ],
    [
      'is slow',
      () => {
        const until = performance.now() + 150;
        while (performance.now() < until);
        throw new Error('and a fault');
      },
    ],
  ])('that %s stops nothing', async (fault, fold) => {
    const clock = new HandClock();
    const world = await hookWorld({ clock: clock.now, fold });
    const player = new Player(world, clock, sessionOf(world.gateway, false));
    await player.work(WORK);
    await expect
      .poll(() => world.gateway.calls().map(({ decision, end }) => [decision, end]))
      .toEqual(Array.from(WORK, () => ['ALLOW', 'OK']));
    const operator = await world.gateway.operator();
    const { plane } = dataOf(await operator.request('gateway.status', {}));
    expect(plane).toMatchObject({ entries: {}, follows: fault === 'throws' });
    expect(planeRows(world.gateway.rows())).toEqual([]);
  });

  it('whose place in the home is gone stops nothing', async () => {
    const clock = new HandClock();
    const world = await hookWorld({ clock: clock.now, config: '[http]\nport = 15918\n' });
    const player = new Player(world, clock, sessionOf(world.gateway, false));
    await player.work('rrr');
    await world.gateway.gateway.stop('test');
    const db = new Database(world.gateway.paths.gatewayDb);
    db.exec('DROP TABLE plane');
    db.close();
    await world.gateway.restart();
    await player.work('rr');
    await expect
      .poll(() => world.gateway.calls().map(({ end }) => end))
      .toEqual(['OK', 'OK', 'OK', 'OK', 'OK']);
  });
});
