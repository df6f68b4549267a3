import type { JsonObject } from '@subluminal/core-types';
import { fold } from '@subluminal/plane';
import { describe, expect, it } from 'vitest';
import { runSub } from '../harness/sub.js';
import { hookWorld } from '../hooks/world.js';
import { dataOf } from '../gateway/harness.js';
import { bundle, deny } from '../gateway/policy-bundle.js';
import { HandClock, Player, sessionOf } from './play.js';

const DEPLOYS = { command: { argv: ['deploy *'] } };
const PROTECTS = {
  rule_id: 'deploys-are-protected',
  kind: 'tag',
  enabled: true,
  severity: 'info',
  match: DEPLOYS,
  effect: { tag: { add_risk_class: ['protected'] } },
};
const ASKS = {
  rule_id: 'deploys-after-a-checkpoint',
  kind: 'ask',
  enabled: true,
  severity: 'warn',
  match: { ...DEPLOYS, risk_class: ['no_checkpoint'] },
  effect: { action: 'ASK', message: 'nothing was checked in this stretch of work' },
};
const TESTED = deny(
  'deploys-what-was-tested',
  { ...DEPLOYS, risk_class: ['untested_changes'] },
  { message: 'changes came after the last check that succeeded' },
);
const GATE = '[plane]\nprotected = "gate"\n';

/** A session under a gate, and the answer to what it would call. */
async function gated(config: string, rules: readonly object[] = [PROTECTS, ASKS]) {
  const clock = new HandClock();
  const world = await hookWorld({ clock: clock.now, config, policy: bundle(rules, { mode: 'control' }) });
  const player = new Player(world, clock, sessionOf(world.gateway, false));
  let calls = 0;
  const deploy = async (): Promise<string> => {
    calls += 1;
    const use = { tool_use_id: `d${calls}`, tool_name: 'Bash', tool_input: { command: `deploy ${calls}` } };
    const answer = await player.tell('PreToolUse', use);
    if (Object.keys(answer).length === 0) await player.tell('PostToolUse', { ...use, tool_response: 'ok' });
    return JSON.stringify(answer);
  };
  return { clock, deploy, player, world };
}

describe('a protected call', () => {
  it('of a window without evidence is asked about, and is made once the window has some', async () => {
    const { deploy, player, world } = await gated(GATE);
    await player.work('ree');
    expect(await deploy()).toContain('nothing was checked in this stretch of work');
    await player.work('t');
    expect(await deploy()).toBe('{}');
    const decisions = world.gateway.rows('tool_call_decision').map(({ data }) => data['facts']);
    expect(decisions[3]).toMatchObject({ raised: ['no_checkpoint', 'untested_changes'] });
    expect(await world.gateway.verify()).not.toBe('tampered');
  });

  it('shows no checkpoint itself, though it was refused and looks like a check', async () => {
    const npm = { command: { argv: ['npm run deploy*'] } };
    const rules = [
      { ...PROTECTS, match: npm },
      { ...ASKS, match: { ...npm, risk_class: ['no_checkpoint'] } },
    ];
    const { player } = await gated(GATE, rules);
    await player.work('re');
    for (const id of ['a', 'b', 'c']) {
      const use = { tool_use_id: id, tool_name: 'Bash', tool_input: { command: 'npm run deploy' } };
      expect(JSON.stringify(await player.tell('PreToolUse', use))).toContain('nothing was checked');
    }
    await player.work('t');
    const use = { tool_use_id: 'd', tool_name: 'Bash', tool_input: { command: 'npm run deploy' } };
    expect(await player.tell('PreToolUse', use)).toEqual({});
  });

  it.each(['node -e 0', 'npm test | tail', 'npm test || true', 'pytest &'])(
    'is not opened by a command that says nothing of the work: %s',
    async (command) => {
      const { deploy, player } = await gated(GATE, [PROTECTS, ASKS, TESTED]);
      await player.work('re');
      const use = { tool_use_id: 'n', tool_name: 'Bash', tool_input: { command } };
      expect(await player.tell('PreToolUse', use)).toEqual({});
      await player.tell('PostToolUse', { ...use, tool_response: 'ok' });
      expect(await deploy()).not.toBe('{}');
    },
  );

  it('of a subagent waits for what the agent has changed, and for a change that is under way', async () => {
    const { player } = await gated(GATE, [PROTECTS, TESTED]);
    await player.work('rt');
    const deploy = (id: string) => ({
      tool_use_id: id,
      tool_name: 'Bash',
      tool_input: { command: `deploy ${id}` },
      agent_id: 'sub',
      agent_type: 'worker',
    });
    await player.work('r', { agent_id: 'sub', agent_type: 'worker' });
    const edit = { file_path: '/srv/app/a.ts', old_string: 'a', new_string: 'b' };
    const change = { tool_use_id: 'x', tool_name: 'Edit', tool_input: edit };
    await player.tell('PreToolUse', change);
    expect(JSON.stringify(await player.tell('PreToolUse', deploy('y')))).toContain('changes came after');
    await player.tell('PostToolUse', { ...change, tool_response: 'ok' });
    expect(JSON.stringify(await player.tell('PreToolUse', deploy('z')))).toContain('changes came after');
    await player.work('t');
    expect(await player.tell('PreToolUse', deploy('w'))).toEqual({});
  });

  it('waits for a yes once something of its run was lost, whatever comes later', async () => {
    const clock = new HandClock();
    let events = 0;
    const failing: typeof fold = (...given) => {
      events += 1;
      if (events === 2) throw new Error('a fault');
      return fold(...given);
    };
    const policy = bundle([PROTECTS, ASKS], { mode: 'control' });
    const world = await hookWorld({ clock: clock.now, config: GATE, policy, fold: failing });
    const player = new Player(world, clock, sessionOf(world.gateway, false));
    await player.work('rret');
    const use = { tool_use_id: 'd', tool_name: 'Bash', tool_input: { command: 'deploy it' } };
    expect(JSON.stringify(await player.tell('PreToolUse', use))).toContain('nothing was checked');
  });

  it('waits for a yes where no evidence comes', async () => {
    const { player, world } = await gated(GATE);
    await player.work('re');
    const use = { tool_use_id: 'd', tool_name: 'Bash', tool_input: { command: 'deploy it' } };
    expect(JSON.stringify(await player.tell('PreToolUse', use))).toContain('nothing was checked');
    const operator = await world.gateway.operator();
    const [id] = questionsOf(dataOf(await operator.request('approvals.list', {})));
    expect((await operator.request('approvals.approve', { approval_id: id, for: 'once' })).status).toBe(
      'success',
    );
    expect(await player.tell('PreToolUse', { ...use, tool_use_id: 'e' })).toEqual({});
  });

  it('is blocked while changes are not tested, where a rule says so', async () => {
    const { deploy, player } = await gated(GATE, [PROTECTS, TESTED]);
    await player.work('rt');
    expect(await deploy()).toBe('{}');
    await player.work('e');
    expect(await deploy()).toContain('changes came after the last check');
    await player.work('T');
    expect(await deploy()).toContain('changes came after the last check');
    await player.work('t');
    expect(await deploy()).toBe('{}');
  });

  it.each(['', '[plane]\nprotected = "steer"\n'])('waits for nothing without a gate: %j', async (config) => {
    const { deploy, player } = await gated(config);
    await player.work('ree');
    expect(await deploy()).toBe('{}');
  });

  it('waits where the plane has failed, since nobody knows of a checkpoint, and no other call does', async () => {
    const clock = new HandClock();
    const slow = (): never => {
      const until = performance.now() + 150;
      while (performance.now() < until);
      throw new Error('and a fault');
    };
    const policy = bundle([PROTECTS, ASKS], { mode: 'control' });
    const world = await hookWorld({ clock: clock.now, config: GATE, policy, fold: slow });
    const player = new Player(world, clock, sessionOf(world.gateway, false));
    await player.work('rrr');
    const operator = await world.gateway.operator();
    await expect
      .poll(async () => dataOf(await operator.request('gateway.status', {}))['plane'])
      .toMatchObject({ follows: false });
    const use = { tool_use_id: 'd', tool_name: 'Bash', tool_input: { command: 'deploy it' } };
    expect(JSON.stringify(await player.tell('PreToolUse', use))).toContain('nothing was checked');
    const edit = { file_path: '/srv/app/a.ts', old_string: 'a', new_string: 'b' };
    expect(
      await player.tell('PreToolUse', { tool_use_id: 'x', tool_name: 'Edit', tool_input: edit }),
    ).toEqual({});
  });
});

describe('`gate`', () => {
  it.each(['low', 'ordinary'])('is no mode of the tier `%s`, and the error says which are', async (tier) => {
    const { world } = await gated('');
    const env = { PATH: process.env['PATH'], SUB_HOME: world.gateway.paths.home };
    const { code, stdout, stderr } = await runSub(['config', 'set', `plane.${tier}`, 'gate'], { env });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('expected there: `observe` or `steer`');
  });
});

function questionsOf(listed: JsonObject): readonly unknown[] {
  const { questions } = listed;
  return Array.isArray(questions) ? questions.map((one) => dataOf({ data: one })['id']) : [];
}
