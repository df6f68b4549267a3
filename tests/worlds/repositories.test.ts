import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Stage, USERS, whyNoWorlds } from './kit/stage.js';

vi.setConfig({ hookTimeout: 240_000, testTimeout: 240_000 });

const why = whyNoWorlds();
const absent = why === undefined ? '' : ` (not here: ${why})`;
const AS = '-c user.name=a -c user.email=a@b.test';

/** Makes a repository inside of another one, with a program that git runs, and has the other one name it. */
const nested = (name: string, ran: string): string => `git init -q ${name}
git -C ${name} ${AS} commit -q --allow-empty -m one
git -C ${name} config core.fsmonitor 'touch ${ran}; false'
git update-index --add --cacheinfo 160000,$(git -C ${name} rev-parse HEAD),${name}`;

describe.skipIf(why !== undefined).each(USERS)(
  `repositories in a world, started by %s${absent}`,
  (_, uid) => {
    let stage: Stage;
    const outside = (script: string): string => {
      const [program, ...words] = stage.asUser('/bin/sh', '-ec', script);
      const env = { PATH: '/usr/bin:/bin', HOME: '/nonexistent' };
      return execFileSync(program, words, { cwd: stage.project, env, encoding: 'utf8' });
    };
    const told = (): unknown => stage.rows().findLast(({ type }) => type === 'world_end')?.data['made'];

    beforeAll(async () => {
      stage = new Stage(uid);
      outside(`git init -q; git init -q lib; git -C lib ${AS} commit -q --allow-empty -m one
git update-index --add --cacheinfo 160000,$(git -C lib rev-parse HEAD),lib
mv lib/.git .git/lib; echo 'gitdir: ../.git/lib' > lib/.git; git init -q other`);
      await stage.start({});
    });
    afterAll(async () => {
      await stage.sub('world', 'close', '--all');
      await stage.remove();
    });

    it('are told at its end, since the state of the project runs their settings', async () => {
      const ran = join(stage.project, 'ran');
      const { code, stderr } = await stage.inWorld(nested('sub', ran), '--write-through');
      expect([code, stderr]).toEqual([
        0,
        expect.stringContaining('the world has made `sub`, `sub/.git`, which other programs run or obey'),
      ]);
      expect(told()).toEqual(['sub', 'sub/.git']);
      rmSync(ran, { force: true });
      outside('git status');
      // Git does what it is told, so this is no empty word.
      expect(existsSync(ran)).toBe(true);
    });

    it('are told at the end of a command of a world that goes on', async () => {
      const script = nested('again', '/dev/null');
      const { stderr } = await stage.sub('world', 'exec', '--write-through', '--', '/bin/sh', '-c', script);
      expect(stderr).toContain('the world has made `again`, `again/.git`');
      expect((await stage.sub('world', 'exec', '--write-through', '--', '/bin/true')).stderr).toBe('');
    });

    it('are led nowhere else, if the index names them before', async () => {
      const { stdout, stderr } = await stage.inWorld(
        '(echo "gitdir: ../other/.git" > lib/.git; rm -f lib/.git; mv lib other) 2>&1; git -C other config a.b c; exit 0',
        '--write-through',
      );
      expect(stdout).toMatch(/Read-only file system[^]*busy[^]*busy/);
      expect(stderr).toContain('`other/.git`');
      expect(outside('cat lib/.git')).toBe('gitdir: ../.git/lib\n');
    });

    it('do not keep its end from the record with links that lead to themselves', async () => {
      const script = 'ln -s .claude .claude; ln -s .husky .husky; mkdir .cursor; chmod 0 .cursor; exit 3';
      expect((await stage.inWorld(script, '--write-through')).code).toBe(3);
      expect(told()).toEqual(expect.arrayContaining(['.cursor', '.husky']));
      expect((await stage.inWorld('exit 4', '--write-through')).code).toBe(4);
    });
  },
);
