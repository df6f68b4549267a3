import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { bundle } from '../gateway/policy-bundle.js';
import { type Ended, Stage, USERS, whyNoWorlds } from './kit/stage.js';

vi.setConfig({ hookTimeout: 240_000, testTimeout: 240_000 });

const why = whyNoWorlds();
const POLICY = bundle([], { world: { fs: { hide: ['.env'] } } });

describe.skipIf(why !== undefined).each(USERS)('the mounts of a world, started by %s', (_user, uid) => {
  let stage: Stage;

  beforeAll(async () => {
    stage = new Stage(uid);
    mkdirSync(join(stage.project, '.git'));
    mkdirSync(join(stage.project, '.husky'));
    for (const name of ['.git/config', '.mcp.json', '.env', '.husky/hook']) put(name, 'old');
    for (const name of ['.git', '.husky']) stage.give(name);
    await stage.start({}, POLICY);
  });
  afterAll(() => stage.remove());

  const put = (name: string, text: string): void => {
    writeFileSync(join(stage.project, name), text);
    chmodSync(join(stage.project, name), 0o644);
    stage.give(name);
  };
  /** As git, and most editors, do it. */
  const replace = (name: string): void => {
    put(`${name}.lock`, 'new');
    renameSync(join(stage.project, `${name}.lock`), join(stage.project, name));
  };
  /** Has a world wait for what is done outside, and gives its end. */
  const during = async (outside: () => void, then: string): Promise<Ended> => {
    const begun = join(stage.project, 'begun');
    const done = join(stage.project, 'done');
    for (const path of [begun, done]) rmSync(path, { force: true });
    const script = `touch begun; while [ ! -e done ]; do sleep 0.02; done; sleep 0.2; ${then}`;
    const ended = stage.inWorld(script, '--write-through');
    await expect.poll(() => readFileSync(begun, 'utf8'), { timeout: 60_000, interval: 20 }).toBe('');
    outside();
    writeFileSync(done, '');
    return ended;
  };

  it('are made again when a file that they guard is replaced outside, and its programs go on', async () => {
    const outside = (): void => {
      for (const name of ['.git/config', '.mcp.json', '.env']) replace(name);
      rmSync(join(stage.project, '.husky'), { recursive: true });
    };
    const then =
      'cat .git/config .mcp.json; for f in .git/config .mcp.json; do (echo evil >> $f; rm -f $f; mv $f x); done 2>&1; mv .git y; cat .env; ps -o stat= | grep -c T; exit 3';
    const { code, stdout, stderr } = await during(outside, then);
    expect(code).toBe(3);
    expect(stdout).toMatch(/^newnew/);
    expect(stdout.match(/Read-only file system/g)).toHaveLength(2);
    expect(stdout.match(/busy/g)).toHaveLength(4);
    expect(stderr).toMatch(/cannot move '.git'[^]*\.env: Permission denied/);
    expect(stdout.trim()).toMatch(/\n0$/);
    for (const name of ['.git/config', '.mcp.json', '.env'])
      expect(readFileSync(join(stage.project, name), 'utf8')).toBe('new');
    expect(stderr).toContain('.git/config`');
    expect(stderr).toContain('was replaced outside, and for a moment the world could change it');
    const told = stage.rows().findLast(({ type }) => type === 'world_end')?.data['replaced'];
    const names = ['.env', '.git/config', '.husky', '.mcp.json'];
    expect(new Set(told as string[])).toEqual(new Set(names.map((name) => join(stage.project, name))));
  });

  it('end the world when they cannot be made again', async () => {
    const leads = (name: string) => (): void => {
      const path = join(stage.project, name);
      symlinkSync('elsewhere', `${path}.lock`);
      renameSync(`${path}.lock`, path);
    };
    for (const outside of [leads('.mcp.json'), () => rmSync(join(stage.project, '.env'))]) {
      const { code, stdout, stderr } = await during(outside, 'sleep 60; echo goes on');
      expect([code, stdout]).toEqual([137, '']);
      expect(stderr).toContain('the world has ended: a file that it may not change or read was replaced');
    }
  });

  it('are looked after by a process that no program there bounds or slows', async () => {
    const bound = 'prlimit --pid 1 --nofile=3:3 2>&1; chrt --idle --pid 0 1 2>&1; echo $?';
    const { stdout } = await stage.inWorld(bound);
    expect(stdout).toMatch(/Operation not permitted[^]*Operation not permitted[^]*1\n$/);
  });
});
