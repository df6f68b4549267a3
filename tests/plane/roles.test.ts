import { ticketOfRun } from '@subluminal/ipc';
import { describe, expect, it } from 'vitest';
import { bundle, deny } from '../gateway/policy-bundle.js';
import { toolCall } from '../gateway/harness.js';
import { runSub } from '../harness/sub.js';
import { type HookWorld, hookWorld } from '../hooks/world.js';
import { attest, HandClock, Player, sessionOf } from './play.js';

const LEADS = '[plane]\nprotected = "gate"\ndirectors = ["claude:lead", "claude:lead/reviewer"]\n';

/** A method that a worker has to follow, as a rule: `after` a reassessment, or after a good check. */
function method(message: string, match: object, risk_class: string): object {
  return deny(message.replaceAll(' ', '-'), { ...match, risk_class: [risk_class] }, { message });
}

const METHODS = [
  method('plan before you build', { tool_name: { glob: ['Edit'] } }, 'no_checkpoint'),
  method('verify before you push', { command: { argv: ['git push *'] } }, 'untested_changes'),
  method('edit by the editor', { command: { argv: ['sed -i *'] } }, 'no_checkpoint'),
];

interface Acting {
  readonly player: Player;
  readonly run: string | undefined;
  readonly world: HookWorld;
  /** The answer to what it would call; empty where nothing holds the call. */
  readonly asks: (
    tool: string,
    input: Record<string, string>,
    of?: Record<string, string>,
  ) => Promise<string>;
}

/** An agent in a run that the operator opened under that name, or in one of its own. */
async function acting(agent: string | undefined, rules: readonly object[], config = LEADS): Promise<Acting> {
  const clock = new HandClock();
  const world = await hookWorld({ clock: clock.now, config, policy: bundle(rules, { mode: 'control' }) });
  const player = new Player(world, clock, sessionOf(world.gateway, false));
  const run = agent === undefined ? undefined : await attest(world, player, agent);
  let calls = 0;
  return {
    player,
    run,
    world,
    asks: async (tool_name, tool_input, of = {}) => {
      calls += 1;
      const use = { tool_use_id: `a${calls}`, tool_name, tool_input, ...of };
      const answer = JSON.stringify(await player.tell('PreToolUse', use));
      if (answer !== '{}') return answer;
      await player.tell('PostToolUse', { ...use, tool_response: 'ok' });
      return '';
    },
  };
}

const EDIT = { file_path: '/srv/app/src/a/f.ts', old_string: 'a', new_string: 'b' };

describe('a worker', () => {
  it('is held back by rules on its method until it has planned, used the right tool and verified', async () => {
    const { asks, player } = await acting('hand', METHODS);
    await player.work('r');
    expect(await asks('Edit', EDIT)).toContain('plan before you build');
    expect(await asks('Bash', { command: 'sed -i s/a/b/ src/a/f.ts' })).toContain('edit by the editor');
    expect(await asks('Read', { file_path: '/srv/app/PLAN.md' })).toBe('');
    expect(await asks('Edit', EDIT)).toBe('');
    expect(await asks('Bash', { command: 'git push origin' })).toContain('verify before you push');
    await player.work('t');
    expect(await asks('Bash', { command: 'git push origin' })).toBe('');
  });

  it.each([
    ['of a director that is not named', { agent_id: 'sub', agent_type: 'builder' }],
    ['that tells no type', { agent_id: 'sub' }],
  ])('is a subagent %s', async (_, of) => {
    const { asks } = await acting('lead', METHODS);
    expect(await asks('Edit', EDIT, of)).toContain('plan before you build');
  });

  it('is an agent that names itself as a director, in a run that no operator opened', async () => {
    const { asks, player, world } = await acting(undefined, METHODS);
    await player.work('r');
    expect(world.gateway.rows('run_start')[0]?.data).toMatchObject({ attested: false });
    expect(await asks('Edit', EDIT)).toContain('plan before you build');
  });

  it('is an agent whose name the operator did not give, though it is that of a director', async () => {
    const clock = new HandClock();
    const policy = bundle(METHODS, { mode: 'control' });
    const world = await hookWorld({ clock: clock.now, config: LEADS, policy });
    const player = new Player(world, clock, sessionOf(world.gateway, false));
    // As `sub run` opens it where `SUB_AGENT_ID` of an environment says `lead`.
    await attest(world, player, 'lead', {});
    const use = { tool_use_id: 'x', tool_name: 'Edit', tool_input: EDIT };
    expect(JSON.stringify(await player.tell('PreToolUse', use))).toContain('plan before you build');
  });

  it('is an agent of another name, and one whose call no hook tells of', async () => {
    const hand = await acting('hand', METHODS);
    expect(await hand.asks('Edit', EDIT)).toContain('plan before you build');
    const lead = await acting('lead', [
      method('plan first', { tool_name: { glob: ['write_file'] } }, 'no_checkpoint'),
    ]);
    await lead.player.work('r');
    const { credential } = ticketOfRun(lead.world.gateway.paths, lead.run ?? '') ?? {};
    if (credential === undefined) throw new Error('the run has no ticket');
    const shim = await lead.world.gateway.connect(credential);
    const begun = toolCall({ server_name: 'fs', tool_name: 'write_file' });
    expect(JSON.stringify(await shim.request('tool.call.begin', begun))).toContain('plan first');
    // The same call, of which a hook of the director told before it came by.
    const told = { tool_use_id: 'm1', tool_name: 'mcp__fs__write_file', tool_input: {} };
    expect(await lead.player.tell('PreToolUse', told)).toEqual({});
    await expect.poll(() => lead.world.gateway.rows('hook_event')).toHaveLength(1);
    const linked = { server_name: 'fs', tool_name: 'write_file', context: { 'claudecode/toolUseId': 'm1' } };
    expect((await shim.request('tool.call.begin', toolCall(linked))).status).toBe('success');
  });
});

describe('a director', () => {
  it('waits for none of that, in the run that the operator opened under its name', async () => {
    const { asks, player, world } = await acting('lead', METHODS);
    await player.work('r');
    expect(await asks('Edit', EDIT)).toBe('');
    expect(world.gateway.rows('run_start')[0]?.data['run']).toMatchObject({ named: true });
    expect(await asks('Bash', { command: 'sed -i s/a/b/ src/a/f.ts' })).toBe('');
    expect(await asks('Bash', { command: 'git push origin' })).toBe('');
  });

  it('is a subagent of a director whose type is named, too', async () => {
    const { asks } = await acting('lead', METHODS);
    expect(await asks('Edit', EDIT, { agent_id: 'sub', agent_type: 'reviewer' })).toBe('');
  });

  it('is steered, and bound by every rule that asks for no class of the plane', async () => {
    const { asks, player } = await acting(
      'lead',
      [deny('nobody-deploys', { command: { argv: ['deploy *'] } }, { message: 'nobody deploys' })],
      LEADS.replace('[plane]', '[plane]\nordinary = "steer"'),
    );
    const answers = await player.work('rrrrrrreeee');
    expect(answers.filter((answer) => JSON.stringify(answer).includes('additionalContext'))).toHaveLength(1);
    expect(await asks('Bash', { command: 'deploy it' })).toContain('nobody deploys');
  });

  it('waits for nothing where the plane has failed, either', async () => {
    const clock = new HandClock();
    const policy = bundle(METHODS, { mode: 'control' });
    const fold = (): never => {
      throw new Error('a fault');
    };
    const world = await hookWorld({ clock: clock.now, config: LEADS, policy, fold });
    const player = new Player(world, clock, sessionOf(world.gateway, false));
    await attest(world, player, 'lead');
    await player.work('rr');
    const use = { tool_use_id: 'x', tool_name: 'Edit', tool_input: EDIT };
    expect(await player.tell('PreToolUse', use)).toEqual({});
  });

  it('is told of by `sub plane status`, and is nobody by default', async () => {
    const { player, world } = await acting('lead', []);
    await player.work('r', {});
    await player.work('r', { agent_id: 'sub', agent_type: 'builder' });
    const env = { PATH: process.env['PATH'], SUB_HOME: world.gateway.paths.home };
    const { stdout } = await runSub(['plane', 'status', '--json'], { env });
    expect(JSON.parse(stdout)).toMatchObject({
      agents: [
        { agent: 'sub', role: 'worker' },
        { agent: '', role: 'director' },
      ],
    });
    const nobody = await acting('lead', METHODS, '[plane]\nprotected = "gate"\n');
    expect(await nobody.asks('Edit', EDIT)).toContain('plan before you build');
  });
});
