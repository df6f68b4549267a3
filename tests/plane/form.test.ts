import type { JsonObject } from '@subluminal/core-types';
import { describe, expect, it } from 'vitest';
import { bundle } from '../gateway/policy-bundle.js';
import { runSub } from '../harness/sub.js';
import { type HookWorld, hookWorld } from '../hooks/world.js';
import { HandClock, keptRows, planeRows, Player, sessionOf } from './play.js';

const ASKS = {
  rule_id: 'deploys-after-a-checkpoint',
  kind: 'ask',
  enabled: true,
  severity: 'warn',
  match: { command: { argv: ['deploy *'] }, risk_class: ['no_checkpoint'] },
  effect: { action: 'ASK', message: 'nothing was checked in this stretch of work' },
};
const FORM = '[plane.form]\ntool = "TodoWrite"\nfields = ["goal", "todos"]\n';
const GATE = '[plane]\nprotected = "gate"\n';
const FITS = { goal: 'ship the parser', todos: [{ content: 'write the parser', status: 'pending' }] };
const MISFITS = { goal: ' ', todos: [] };

interface Session {
  readonly player: Player;
  readonly deploys: () => Promise<string>;
  readonly plans: (args: JsonObject, ended?: string) => Promise<void>;
}

async function gated(config: string): Promise<{ world: HookWorld; clock: HandClock }> {
  const clock = new HandClock();
  const policy = bundle([ASKS], { mode: 'control' });
  return { world: await hookWorld({ clock: clock.now, config, policy }), clock };
}

let calls = 0;

/** An agent whose tool `TodoWrite` has the form or not. */
function sessionIn({ clock, world }: { world: HookWorld; clock: HandClock }, name?: string): Session {
  const player = new Player(world, clock, name ?? sessionOf(world.gateway, false));
  return {
    player,
    deploys: async () => {
      const use = {
        tool_use_id: `d${(calls += 1)}`,
        tool_name: 'Bash',
        tool_input: { command: 'deploy it' },
      };
      return JSON.stringify(await player.tell('PreToolUse', use));
    },
    plans: async (tool_input, ended = 'PostToolUse') => {
      const use = { tool_use_id: `p${(calls += 1)}`, tool_name: 'TodoWrite', tool_input };
      await player.tell('PreToolUse', use);
      await player.tell(ended, { ...use, tool_response: 'ok', error: 'no' });
    },
  };
}

/** The checkpoints of a record, and the calls that were meant to be one. */
function traces(world: HookWorld): readonly JsonObject[] {
  return planeRows(world.gateway.rows()).filter(
    (data) => 'mechanism' in data || (data['what'] === 'checkpoint' && data['reason'] === 'form'),
  );
}

describe('a call of the configured form', () => {
  it('opens a gate, and one that lacks a field does not', async () => {
    const started = await gated(GATE + FORM);
    const { deploys, plans, player } = sessionIn(started);
    await player.work('re');
    await plans(MISFITS);
    expect(await deploys()).toContain('nothing was checked');
    await plans(FITS, 'PostToolUseFailure');
    expect(await deploys()).toContain('nothing was checked');
    await plans(FITS);
    expect(await deploys()).toBe('{}');
    await expect
      .poll(() => traces(started.world))
      .toMatchObject([
        { what: 'checkpoint', reason: 'form', window: 1, lacks: ['goal', 'todos'] },
        { mechanism: 'structured', looks: 'back', window: 1, facts: { fits: true } },
      ]);
    expect(await started.world.gateway.verify()).not.toBe('tampered');
  });

  it('is none without the setting, and none by another tool', async () => {
    for (const config of [GATE, `${GATE}[plane.form]\ntool = "mcp__notes__plan"\nfields = ["goal"]\n`]) {
      const started = await gated(config);
      const { deploys, plans } = sessionIn(started);
      await plans(FITS);
      expect(await deploys()).toContain('nothing was checked');
      expect(traces(started.world)).toEqual([]);
    }
  });

  it('is no evidence for another run, though that names the same session', async () => {
    const started = await gated(GATE + FORM);
    const session = sessionOf(started.world.gateway, false);
    const [owner, other] = [sessionIn(started, session), sessionIn(started, session)];
    await owner.plans(FITS);
    await other.player.work('rr');
    expect(await other.deploys()).toContain('nothing was checked');
    expect(await owner.deploys()).toBe('{}');
  });

  it('whose arguments are not kept is a misfit of which nothing is known', async () => {
    const started = await gated(`${GATE}${FORM}[inspect]\nmax_preview_bytes = 0\n`);
    const { deploys, plans } = sessionIn(started);
    await plans(FITS);
    expect(await deploys()).toContain('nothing was checked');
    await expect.poll(() => traces(started.world)).toMatchObject([{ reason: 'form' }]);
    expect(traces(started.world)[0]).not.toHaveProperty('lacks');
  });

  it('leaves none of its text in what the plane keeps and writes', async () => {
    const started = await gated(GATE + FORM);
    const { plans } = sessionIn(started);
    await plans(FITS);
    await started.world.gateway.gateway.stop('test');
    const { paths } = started.world.gateway;
    const kept = JSON.stringify(keptRows(paths.gatewayDb));
    expect(kept).toContain('structured');
    for (const text of [kept, JSON.stringify(planeRows(started.world.gateway.rows()))])
      expect(text).not.toContain('parser');
  });

  it('is told by `sub plane explain` and `sub plane status`', async () => {
    const { clock, world } = await gated(GATE + FORM);
    const { plans, player } = sessionIn({ clock, world });
    await player.tell('UserPromptSubmit', { prompt: 'plan it' });
    await player.work('re');
    await plans(MISFITS);
    await plans(FITS);
    await expect.poll(() => traces(world)).toHaveLength(2);
    const env = { PATH: process.env['PATH'], SUB_HOME: world.gateway.paths.home };
    const { stderr, stdout } = await runSub(['plane', 'explain'], { env });
    expect(stderr).toBe('');
    expect(stdout).toMatch(/no checkpoint: a call of the form lacks goal, todos\n/);
    expect(stdout).toMatch(/checkpoint: structured, by call \d+\n/);
    expect((await runSub(['plane', 'status'], { env })).stdout).toContain(
      'form: TodoWrite with goal, todos is a checkpoint\n',
    );
  });
});
