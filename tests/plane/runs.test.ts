import Database from 'better-sqlite3';
import { type JsonObject, textAt } from '@subluminal/core-types';
import { ticketOfRun } from '@subluminal/ipc';
import { describe, expect, it } from 'vitest';
import { bundle } from '../gateway/policy-bundle.js';
import { dataOf, toolCall, toolEnd } from '../gateway/harness.js';
import { type HookWorld, hookWorld } from '../hooks/world.js';
import {
  attest,
  decided,
  HandClock,
  keptRows,
  planeRows,
  Player,
  putBack,
  sessionOf,
  skipped,
} from './play.js';

const STEER = '[plane]\nordinary = "steer"\nlow = "steer"\n';
const GATE = '[plane]\nprotected = "gate"\n';
const ASKS = {
  rule_id: 'deploys-after-a-checkpoint',
  kind: 'ask',
  enabled: true,
  severity: 'warn',
  match: { command: { argv: ['deploy *'] }, risk_class: ['no_checkpoint'] },
  effect: { action: 'ASK', message: 'nothing was checked' },
};

/** An agent whose text waits: its client took none at the event that drew the boundary. */
async function told(): Promise<{
  readonly clock: HandClock;
  readonly owner: Player;
  readonly session: string;
  readonly world: HookWorld;
}> {
  const clock = new HandClock();
  const world = await hookWorld({ clock: clock.now, config: STEER });
  const session = sessionOf(world.gateway, false);
  const owner = new Player(world, clock, session);
  await owner.work('rrrr');
  await owner.tell('PostCompact', { trigger: 'auto' });
  await expect.poll(() => world.gateway.rows('plane.boundary').length).toBeGreaterThan(0);
  return { clock, owner, session, world };
}

const textIn = (answer: JsonObject | undefined): string =>
  textAt(answer ?? {}, 'hookSpecificOutput', 'additionalContext');

describe('a text that waits', () => {
  it('is recorded when it is given, once, and not before', async () => {
    const { owner, world } = await told();
    expect(world.gateway.rows('plane.steer')).toEqual([]);
    const [first, second] = await owner.work('rr');
    expect(textIn(first)).toContain('the context was compacted');
    expect(textIn(second)).toBe('');
    // It is durable before the answer that has it.
    const [steer, ...more] = world.gateway.rows('plane.steer');
    expect(more).toEqual([]);
    expect(steer?.data).toMatchObject({ text: textIn(first), window: 1 });
    const [run] = world.gateway.rows('run_start');
    expect(steer?.runId).toBe(run?.runId);
  });

  it('is not taken by another run that names the session, nor drawn anew by it', async () => {
    const { clock, owner, session, world } = await told();
    const other = new Player(world, clock, session);
    const stolen = await other.work('rrr');
    expect(stolen.map(textIn)).toEqual(['', '', '']);
    expect(textIn((await owner.work('r'))[0])).toContain('the context was compacted');
    expect(new Set(world.gateway.rows('plane.steer').map(({ runId }) => runId)).size).toBe(1);
  });

  it('is skipped as late where nobody takes it for ten minutes, or until the gateway stops', async () => {
    const { clock, owner, world } = await told();
    clock.ms += 700_000;
    expect(textIn((await owner.work('r'))[0])).toBe('');
    await expect.poll(() => skipped(world.gateway.rows())).toContain('steer: late');
    expect(world.gateway.rows('plane.steer')).toEqual([]);

    const again = await told();
    await again.world.gateway.gateway.stop('test');
    expect(skipped(again.world.gateway.rows())).toContain('steer: late');
  });
});

describe('a session that two runs name', () => {
  it('has a checkpoint for the run that shows it, and the other one takes none and voids none', async () => {
    const clock = new HandClock();
    const policy = bundle([ASKS], { mode: 'control' });
    const world = await hookWorld({ clock: clock.now, config: GATE, policy });
    const session = sessionOf(world.gateway, false);
    const [owner, other] = [new Player(world, clock, session), new Player(world, clock, session)];
    const deploy = (player: Player, id: string): Promise<JsonObject> =>
      player.tell('PreToolUse', {
        tool_use_id: id,
        tool_name: 'Bash',
        tool_input: { command: `deploy ${id}` },
      });
    await owner.work('rt');
    expect(JSON.stringify(await deploy(other, 'a'))).toContain('nothing was checked');
    await other.work('rr');
    expect(JSON.stringify(await deploy(other, 'b'))).toContain('nothing was checked');
    expect(await deploy(owner, 'c')).toEqual({});
  });

  it('has no checkpoint for the next run, whatever its first event is', async () => {
    const clock = new HandClock();
    const policy = bundle([ASKS], { mode: 'control' });
    const world = await hookWorld({ clock: clock.now, config: GATE, policy });
    const session = sessionOf(world.gateway, false);
    const first = new Player(world, clock, session);
    await first.work('rt');
    await first.leave();
    await expect.poll(() => world.gateway.rows('run_end').length).toBe(1);
    const next = new Player(world, clock, session);
    const use = { tool_use_id: 'n', tool_name: 'Bash', tool_input: { command: 'deploy n' } };
    expect(JSON.stringify(await next.tell('PreToolUse', use))).toContain('nothing was checked');
  });
});

describe('after a restart', () => {
  /** Messages of a run that no hook tells of. */
  async function messages(world: HookWorld): Promise<void> {
    const [run] = world.gateway.rows('run_start');
    const { credential } = ticketOfRun(world.gateway.paths, run?.runId ?? '') ?? {};
    if (credential === undefined) throw new Error('the run has no ticket');
    const shim = await world.gateway.connect(credential);
    for (let at = 0; at < 12; at += 1) {
      const tool_name = at < 6 ? 'read_file' : 'write_file';
      const begun = toolCall({ server_name: 'files', tool_name, args: { path: `/w/src/a/${at}` } });
      await shim.request('tool.call.begin', begun);
      await shim.request('tool.call.end', toolEnd(begun.call_id));
    }
  }

  it.each([
    [1, 'claude_hook'],
    [2, 'run'],
  ])('a message of a run with %i sessions is of %s, as before', async (count, client) => {
    const clock = new HandClock();
    const world = await hookWorld({ clock: clock.now, config: `[http]\nport = ${15_920 + count}\n` });
    const player = new Player(world, clock, sessionOf(world.gateway, false));
    await player.work('r');
    if (count === 2) await player.work('r', { session_id: sessionOf(world.gateway, false, 'other-') });
    await world.gateway.restart();
    await messages(world);
    clock.ms += 60_000;
    await player.tell('UserPromptSubmit', { prompt: 'x' });
    const operator = await world.gateway.operator();
    const agents = async (): Promise<unknown> =>
      dataOf({ data: dataOf(await operator.request('gateway.status', {}))['plane'] })['agents'];
    await expect
      .poll(agents)
      .toContainEqual(
        expect.objectContaining({ client, window: expect.objectContaining({ number: expect.any(Number) }) }),
      );
    const of = JSON.stringify(await agents());
    expect(of.includes('"client":"run"')).toBe(client === 'run');
  });

  it('the last work of a run that is over is folded where its first was', async () => {
    const clock = new HandClock();
    const world = await hookWorld({ clock: clock.now, config: '[http]\nport = 15925\n' });
    const player = new Player(world, clock, sessionOf(world.gateway, false));
    await attest(world, player, 'agent', { workload: { repo_path: '/srv/app' } });
    await player.work('rrrrrrr');
    await world.gateway.gateway.stop('test');
    const kept = keptRows(world.gateway.paths.gatewayDb);
    await world.gateway.restart();
    await player.work('eee');
    await player.leave();
    await expect.poll(() => world.gateway.rows('run_end').length).toBe(1);
    await world.gateway.gateway.stop('test');
    putBack(world.gateway.paths.gatewayDb, kept);
    await world.gateway.restart();
    await world.gateway.gateway.stop('test');
    const db = new Database(world.gateway.paths.gatewayDb, { readonly: true });
    const states = db.prepare<[], { key: string }>('SELECT key FROM plane WHERE length(key) = 64').all();
    db.close();
    expect(states).toHaveLength(1);
    expect(decided(world.gateway.rows()).length).toBeGreaterThan(0);
    expect(planeRows(world.gateway.rows()).length).toBeGreaterThan(0);
  });
});
