import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { between } from '../gateway/between.js';
import { bundle, deny } from '../gateway/policy-bundle.js';
import { runSub } from '../harness/sub.js';
import { type HookWorld, hookWorld } from '../hooks/world.js';
import { HandClock, Player, sessionOf } from './play.js';

const GATE = '[plane]\nprotected = "gate"\n';
const BY_CLASS = deny('tested', { risk_class: ['untested_changes'] });
const ELSE = deny('else', { risk_class: ['network_like'] });
/** It reaches a rule by a class that another one makes of the plane's. */
const CHAIN = [
  {
    rule_id: 'marks',
    kind: 'tag',
    enabled: true,
    severity: 'info',
    match: { risk_class: ['no_checkpoint'] },
    effect: { tag: { add_risk_class: ['hasty'] } },
  },
  deny('hasty-is-held', { risk_class: ['hasty'] }),
];

const SILENT = '`[plane] protected` is `gate`, and it withholds nothing:';

/** One line of what `sub ARGS` says. */
async function told(world: HookWorld, ...args: readonly string[]): Promise<string> {
  const env = { PATH: process.env['PATH'], SUB_HOME: world.gateway.paths.home };
  return (await runSub(args, { env })).stdout.replaceAll(/\s+/g, ' ');
}

function logOf(world: HookWorld): string {
  return readFileSync(join(world.gateway.paths.home, 'logs/gateway.log'), 'utf8');
}

describe('a gate that withholds nothing', () => {
  it.each([
    ['without a policy', undefined, 'no rule of the policy'],
    ['without a rule by its classes', bundle([ELSE]), 'no rule of the policy'],
    ['whose rule is switched off', bundle([{ ...BY_CLASS, enabled: false }]), 'no rule of the policy'],
    ['in a policy that observes', bundle([BY_CLASS], { mode: 'observe' }), 'the mode of the policy is'],
  ])('%s is told by `sub plane status`, by `sub doctor` and when it is loaded', async (_, policy, why) => {
    const world = await hookWorld({ config: GATE, ...(policy === undefined ? {} : { policy }) });
    expect(await told(world, 'plane', 'status')).toContain(`${SILENT} ${why}`);
    expect(await told(world, 'doctor')).toContain(`${SILENT} ${why}`);
    expect(logOf(world)).toContain('withholds nothing');
  });

  it.each([
    ['a rule by a class', bundle([BY_CLASS]), GATE],
    ['a rule by a class that a tag makes of one', bundle(CHAIN), GATE],
    ['no gate', bundle([ELSE]), ''],
  ])('is not told of %s', async (_, policy, config) => {
    const world = await hookWorld({ config, policy });
    expect(await told(world, 'plane', 'status')).not.toContain('withholds nothing');
    expect(await told(world, 'doctor')).not.toContain('withholds nothing');
  });

  it('is told once the rule is gone, and once the gate is set, while the gateway runs', async () => {
    const world = await hookWorld({ policy: bundle([BY_CLASS]) });
    writeFileSync(world.gateway.paths.config, GATE, { mode: 0o600 });
    await expect.poll(() => told(world, 'plane', 'status')).toContain('protected gate');
    expect(await told(world, 'plane', 'status')).not.toContain('withholds nothing');
    writeFileSync(world.gateway.paths.policy, bundle([ELSE], { version: '2' }), { mode: 0o600 });
    await expect.poll(() => told(world, 'plane', 'status')).toContain(SILENT);
    expect(logOf(world)).toContain('withholds nothing');
  });
});

describe('the plane that ends', () => {
  it('says so in `sub plane status` and in `sub doctor`, with what a gate does then', async () => {
    const clock = new HandClock();
    const fold = (): never => {
      const until = performance.now() + 150;
      while (performance.now() < until);
      throw new Error('a fault');
    };
    const world = await hookWorld({ clock: clock.now, fold, config: GATE, policy: bundle([BY_CLASS]) });
    const player = new Player(world, clock, sessionOf(world.gateway, false));
    await player.work('rrrr');
    const ended = 'nobody is followed until the gateway starts again: it took too long';
    await expect.poll(() => told(world, 'plane', 'status')).toContain(ended);
    for (const verb of [['plane', 'status'], ['doctor']]) {
      const text = await told(world, ...verb);
      expect(text).toContain(ended);
      expect(text).toContain('3 events of agents could not be followed');
    }
  });

  it('whose entries cannot be kept says so, and calls go on', async () => {
    const clock = new HandClock();
    let fails = false;
    const world = await hookWorld({
      clock: clock.now,
      wrapLedger: between((group, next) =>
        fails && group.entries.some(({ type }) => type.startsWith('plane.'))
          ? Promise.reject(new Error('no room'))
          : next(),
      ),
    });
    const player = new Player(world, clock, sessionOf(world.gateway, false));
    fails = true;
    await player.work('rrrrrrreeeettttt');
    for (const verb of [['plane', 'status'], ['doctor']])
      expect(await told(world, ...verb)).toMatch(/\d+ groups? of entries of the plane could not be recorded/);
    expect(world.gateway.calls().map(({ end }) => end)).toEqual(Array.from({ length: 16 }, () => 'OK'));
  });
});
