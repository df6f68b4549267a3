import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Stage, USERS, whyNoWorlds } from './kit/stage.js';

const why = whyNoWorlds();

describe.skipIf(why !== undefined).each(USERS)('the mounts of a world, started by %s', (_user, uid) => {
  it('end the world when a file that they guard is replaced outside', async () => {
    const stage = new Stage(uid);
    onTestFinished(() => stage.remove());
    mkdirSync(join(stage.project, '.git'));
    const config = join(stage.project, '.git/config');
    writeFileSync(config, 'old');
    for (const name of ['.git', '.git/config']) stage.give(name);
    await stage.start({});
    const ended = stage.inWorld(
      'touch begun; sleep 8; echo evil >> .git/config; echo wrote',
      '--write-through',
    );
    const begun = join(stage.project, 'begun');
    await expect.poll(() => readFileSync(begun, 'utf8'), { timeout: 7000, interval: 20 }).toBe('');
    // As git does it.
    writeFileSync(`${config}.lock`, 'new');
    stage.give('.git/config.lock');
    renameSync(`${config}.lock`, config);
    const { code, stdout, stderr } = await ended;
    expect([code, stdout, readFileSync(config, 'utf8')]).toEqual([137, '', 'new']);
    expect(stderr).toContain('the world has ended: a file that it may not change or read was replaced');
  });

  it('are looked after by a process that no program there bounds or slows', async () => {
    const stage = new Stage(uid);
    onTestFinished(() => stage.remove());
    await stage.start({});
    const bound = 'prlimit --pid 1 --nofile=3:3 2>&1; chrt --idle --pid 0 1 2>&1; echo $?';
    const { stdout } = await stage.inWorld(bound);
    expect(stdout).toMatch(/Operation not permitted[^]*Operation not permitted[^]*1\n$/);
  });
});
